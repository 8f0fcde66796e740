// Package e2e runs the Azure SDK for Go, unchanged, against the native
// server. It is a module of its own, so that the SDK is no dependency of
// Sandtable. What runs in a browser is beside it, in test/.
package e2e
