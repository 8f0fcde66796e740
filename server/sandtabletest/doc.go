// Package sandtabletest starts a Table endpoint inside a Go test, as
// net/http/httptest starts a web server:
//
//	server := sandtabletest.Start(t)
//	client, err := aztables.NewServiceClientFromConnectionString(server.ConnectionString(), nil)
//
// Each server has its own port and its own tables, in memory, so tests can run in
// parallel. It stops when the test ends. [Server.SetFaults] makes requests fail, to
// test what the code under test does then. Outside tests, use "sandtable serve".
package sandtabletest
