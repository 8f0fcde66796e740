//go:build !js

package client

// pageOrigin returns the origin of the page; natively there is none.
func pageOrigin() string { return "" }
