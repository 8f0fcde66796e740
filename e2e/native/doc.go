// Package native runs unchanged clients against the native server: the Azure
// SDK for Go in the Go tests, and the current and legacy JavaScript SDKs in the
// scripts next to them. The programs come from "make build".
package native
