package server

import (
	"sandtable/engine"
	"sandtable/server/xmldoc"
)

// DocumentChecks returns options for [engine.DB.Verify] that parse the stored
// documents of accounts and tables as the service does. Those of
// [sandtable/engine/archive.LoadOptions] are the same.
func DocumentChecks() engine.VerifyOptions {
	return engine.VerifyOptions{Policies: check(xmldoc.ParsePolicies), Properties: check(xmldoc.ParseProperties)}
}

// check turns a parser into a check.
func check[T any](parse func([]byte) (T, error)) func(string) error {
	return func(document string) error {
		_, err := parse([]byte(document))
		return err
	}
}
