// Package access is how programs reach an account: addresses, signatures and
// policies.
package access
