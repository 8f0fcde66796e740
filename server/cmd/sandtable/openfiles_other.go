//go:build !unix && !js

package main

import "math"

// openFiles returns how many files this process may have open: this system sets no limit.
func openFiles() int { return math.MaxInt }
