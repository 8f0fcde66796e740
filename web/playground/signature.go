package playground

import "strings"

// signature adds the function sign to the constant account: an HMAC-SHA256 under
// its key, in Base64. Browsers have that in crypto.subtle, but not for an opaque
// origin. It becomes one line, so that the program's lines keep their numbers.
var signature = strings.Join(strings.Fields(`
account.sign = (() => {
	const K = [], H = [];
	const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0;
	for (let n = 2; K.length < 64; n++) {
		let prime = true;
		for (let i = 2; i * i <= n; i++) prime &&= n % i !== 0;
		if (prime) { if (H.length < 8) H.push(fraction(Math.sqrt(n))); K.push(fraction(Math.cbrt(n))); }
	}
	const rotate = (x, n) => (x >>> n) | (x << (32 - n));
	const sha256 = (bytes) => {
		const all = new Uint8Array((((bytes.length + 8) >> 6) + 1) * 64);
		all.set(bytes);
		all[bytes.length] = 128;
		const view = new DataView(all.buffer);
		view.setUint32(all.length - 4, bytes.length * 8);
		const hash = [...H];
		for (let at = 0; at < all.length; at += 64) {
			const w = [];
			for (let i = 0; i < 64; i++) {
				if (i < 16) { w[i] = view.getInt32(at + 4 * i); continue; }
				const x = w[i - 15], y = w[i - 2];
				w[i] = (w[i - 16] + w[i - 7] + (rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)) + (rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10))) | 0;
			}
			let [a, b, c, d, e, f, g, h] = hash;
			for (let i = 0; i < 64; i++) {
				const t = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
				const u = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
				[h, g, f, e, d, c, b, a] = [g, f, e, (d + t) | 0, c, b, a, (t + u) | 0];
			}
			[a, b, c, d, e, f, g, h].forEach((x, i) => { hash[i] = (hash[i] + x) | 0; });
		}
		const out = new DataView(new ArrayBuffer(32));
		hash.forEach((x, i) => out.setInt32(4 * i, x));
		return new Uint8Array(out.buffer);
	};
	const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
	return (text) => {
		const key = Uint8Array.from(atob(account.key), (c) => c.charCodeAt(0));
		const pad = (mask) => Uint8Array.from({ length: 64 }, (_, i) => (key[i] ?? 0) ^ mask);
		const inner = sha256(joined(pad(0x36), new TextEncoder().encode(text)));
		return btoa(String.fromCharCode(...sha256(joined(pad(0x5c), inner))));
	};
})();
`), " ")
