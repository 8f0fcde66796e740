package grid

import (
	"math"

	"sandtable/odata"
)

// Histogram counts the values of a property, those of the first entities, in parts of the
// same width from Min to Max. At least one part has a value. It is nil where values are
// not numbers or dates of one type, all the same, or not finite.
func (t *Stat) Histogram(parts int) []int {
	low, width := size(t.Min), size(t.Max)-size(t.Min)
	if t.Type == 0 || !(width > 0) || math.IsInf(width, 0) {
		return nil
	}
	counts := make([]int, parts)
	for _, v := range t.values {
		counts[min(int((v-low)/width*float64(parts)), parts-1)]++
	}
	return counts
}

// size returns a number, or a date in ticks, NaN for other values.
func size(v odata.Value) float64 {
	switch v.Type() {
	case odata.EdmInt32, odata.EdmInt64:
		return float64(v.Int())
	case odata.EdmDouble:
		return v.Float()
	case odata.EdmDateTime:
		return float64(v.DateTime())
	}
	return math.NaN()
}
