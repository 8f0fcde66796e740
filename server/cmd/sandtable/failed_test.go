//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadyAfterFailedWrite: a server whose store takes no more writes until a restart
// is not ready, so that whoever watches it restarts it.
func TestReadyAfterFailedWrite(t *testing.T) {
	folder := t.TempDir()
	c := startChild(t, folder)
	c.want(204, "POST", "/Tables", `{"TableName":"Orders"}`)
	c.endpoint = strings.TrimSuffix(c.endpoint, "/devstoreaccount1")
	c.want(200, "GET", "/_sandtable/health/ready", "")
	owners, err := filepath.Glob(filepath.Join(folder, "owner-*"))
	if err != nil || len(owners) != 1 {
		t.Fatalf("owners %v, %v", owners, err)
	}
	if err := os.Remove(owners[0]); err != nil { // as another process would to take the store
		t.Fatal(err)
	}
	c.want(503, "POST", "/devstoreaccount1/Tables", `{"TableName":"Invoices"}`)
	c.want(503, "GET", "/_sandtable/health/ready", "")
	c.want(200, "GET", "/_sandtable/health/live", "")
	c.want(200, "GET", "/devstoreaccount1/Orders", "")
}
