// Package faults is the page of an account's faults: rules that make requests to
// it fail or take longer, for tests of retries. rules.go says rules in words,
// form.go reads the form of one; page.go talks to the endpoint.
package faults
