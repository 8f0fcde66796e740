package humanize

import "testing"

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := Number(n); got != want {
			t.Errorf("Number(%d) is %q, want %q", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 tables", 1: "1 table", 2000: "2,000 tables"} {
		if got := Count(n, "table", "tables"); got != want {
			t.Errorf("Count(%d) is %q, want %q", n, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	for n, want := range map[int]string{
		0: "0 B", 1023: "1023 B", kib: "1.0 KiB", 99 * kib: "99.0 KiB", 100*kib - 1: "100 KiB",
		1023 * kib: "1023 KiB", mib - 1: "1.0 MiB", mib: "1.0 MiB", 2048 * mib: "2.0 GiB", gib - 1: "1.0 GiB", 5000 * gib: "4.9 TiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) is %q, want %q", n, got, want)
		}
	}
}
