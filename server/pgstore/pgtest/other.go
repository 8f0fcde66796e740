//go:build !unix

package pgtest

import "testing"

// Run runs the tests of a package.
func Run(m *testing.M) int { return m.Run() }

// Schema skips the test: PostgreSQL is started on Unix only.
func Schema(t testing.TB) string {
	t.Helper()
	t.Skip("PostgreSQL is started on Unix only: skipped")
	return ""
}
