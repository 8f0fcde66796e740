const space = { left: 800000 };
const send = async (method, url, headers, body) => {
  const answer = await fetch(url, { method, headers, body });
  const bytes = await answer.arrayBuffer();
  const text = new TextDecoder().decode(bytes);
  const shown = text.slice(0, Math.min(300000, space.left));
  space.left -= shown.length;
  const { status, statusText, ok } = answer;
  const head = { method, url, status, statusText, headers: [...answer.headers], bytes: bytes.byteLength, cut: shown.length < text.length };
  const parts = (JSON.stringify(head) + "\n" + shown).match(/[^]{1,4500}/gu).map((part, i) => (i === 0 ? "H" : "B") + part);
  return { ok, parts };
};
