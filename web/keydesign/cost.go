package keydesign

// Prices are what the service charges, in a currency of the user's choice. The
// defaults are examples: they differ by region and redundancy.
type Prices struct {
	GiB    float64 // a month of 1 GiB
	Writes float64 // of 10,000 transactions
	Reads  float64
}

// DefaultPrices are examples in US dollars.
var DefaultPrices = Prices{GiB: 0.045, Writes: 0.00036, Reads: 0.00036}

// Valid reports whether the prices are plausible: stored ones may be anything.
func (p Prices) Valid() bool {
	for _, price := range []float64{p.GiB, p.Writes, p.Reads} {
		if !(price >= 0 && price < 1e6) {
			return false
		}
	}
	return true
}

// Usage is how much of a table is used in a month.
type Usage struct{ Bytes, Writes, Reads float64 }

// Month is a month in minutes.
const Month = 30 * 24 * 60

// Times returns a usage that is n times as large.
func (u Usage) Times(n float64) Usage { return Usage{u.Bytes * n, u.Writes * n, u.Reads * n} }

// Cost is what a month costs.
type Cost struct{ Stored, Writes, Reads float64 }

// Total returns the sum.
func (c Cost) Total() float64 { return c.Stored + c.Writes + c.Reads }

// CostOf returns what a month costs.
func CostOf(u Usage, p Prices) Cost {
	return Cost{Stored: u.Bytes / (1 << 30) * p.GiB, Writes: u.Writes / 10_000 * p.Writes, Reads: u.Reads / 10_000 * p.Reads}
}
