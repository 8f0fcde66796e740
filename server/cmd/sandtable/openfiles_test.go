//go:build unix

package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// However many clients connect, the store can still open the files that it needs:
// a failure to open one would end all writes until a restart.
func TestConnectionsLeaveFilesForTheStore(t *testing.T) {
	args := append([]string{"-c", `ulimit -n 64; exec "$0" "$@"`, os.Args[0]}, serveArgs("-data", t.TempDir())...)
	c := startCommand(t, exec.Command("sh", args...))
	c.want(204, "POST", "/Tables", `{"TableName":"Orders"}`)
	endpoint, err := url.Parse(c.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		conn, err := net.Dial("tcp", endpoint.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	text := strings.Repeat("x", 32<<10)
	for i := range 200 { // enough for checkpoints and new WAL segments
		c.want(204, "PUT", fmt.Sprintf("/Orders(PartitionKey='p',RowKey='%d')", i%20), `{"Text":"`+text+`"}`)
	}
}
