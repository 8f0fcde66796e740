//go:build !js

// Command release writes the files of a release: archives of the native program
// for all platforms, the npm package, a bill of materials, release notes, and
// checksums of all of them. The same sources give the same bytes.
package main
