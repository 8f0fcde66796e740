// Package settings is the page of an account's settings: who may use it without a
// signature, its service properties, and how it or one of its tables is deleted.
package settings
