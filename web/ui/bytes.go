package ui

import "fmt"

// Bytes returns a number of bytes for people, such as "3.2 KiB".
func Bytes(n int) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprint(n, " B")
	}
	value, names := float64(n), []string{"KiB", "MiB", "GiB", "TiB"}
	i := -1
	for value >= unit && i < len(names)-1 {
		value /= unit
		i++
	}
	if value >= 100 {
		return fmt.Sprintf("%.0f %s", value, names[i])
	}
	return fmt.Sprintf("%.1f %s", value, names[i])
}
