package engine

import "fmt"

// Durability says what a write has survived when it is acknowledged.
type Durability uint8

const (
	// Strict waits until the disk has the write: it survives a power failure, if the
	// disk honors a sync.
	Strict Durability = iota
	// Relaxed waits until the operating system has the write: it survives the
	// end of the process or browser, however sudden, but not a power failure,
	// after which even the whole store may be unreadable. It is for data that
	// can be made again.
	Relaxed
)

// String returns "strict" or "relaxed".
func (d Durability) String() string {
	if d == Relaxed {
		return "relaxed"
	}
	return "strict"
}

// ParseDurability is the inverse of [Durability.String].
func ParseDurability(name string) (Durability, error) {
	for _, d := range []Durability{Strict, Relaxed} {
		if name == d.String() {
			return d, nil
		}
	}
	return Strict, fmt.Errorf("durability %q is neither strict nor relaxed", name)
}
