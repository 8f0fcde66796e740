//go:build unix

package pgstore_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy is between a store and its database: it counts round trips, can cut every
// connection, and carries nothing to the database while stalled is locked.
type proxy struct {
	listener net.Listener
	socket   string
	trips    atomic.Int64
	stalled  sync.RWMutex

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// startProxy returns a proxy for the database of an address, and the address of
// the same schema through it.
func startProxy(t *testing.T, address string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	p := &proxy{socket: filepath.Join(query.Get("host"), ".s.PGSQL.5432"), conns: map[net.Conn]bool{}}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.listener.Close()
		p.cut()
	})
	go p.accept()
	query.Del("host")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = p.listener.Addr().String(), query.Encode()
	return p, u.String()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.carry(client)
	}
}

func (p *proxy) carry(client net.Conn) {
	database, err := net.Dial("unix", p.socket)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.conns[client], p.conns[database] = true, true
	p.mu.Unlock()
	go func() {
		io.Copy(client, database)
		client.Close()
	}()
	p.count(database, client)
	database.Close()
	client.Close()
	p.mu.Lock()
	delete(p.conns, client)
	delete(p.conns, database)
	p.mu.Unlock()
}

// count copies what the client sends and counts the messages that the database
// has to answer before the client continues: a Sync or a simple query.
//
// Source: "Message Formats", https://www.postgresql.org/docs/current/protocol-message-formats.html.
func (p *proxy) count(to io.Writer, from io.Reader) {
	head := make([]byte, 5)
	for first := true; ; first = false {
		size := len(head)
		if first {
			size = 4 // the first message has no type
		}
		if _, err := io.ReadFull(from, head[:size]); err != nil {
			return
		}
		if !first && (head[0] == 'S' || head[0] == 'Q') {
			p.trips.Add(1)
		}
		p.stalled.RLock() // waits during a stall
		_, err := to.Write(head[:size])
		p.stalled.RUnlock()
		if err != nil {
			return
		}
		length := int64(binary.BigEndian.Uint32(head[size-4:])) - 4
		if _, err := io.CopyN(to, from, length); err != nil {
			return
		}
	}
}

// cut closes every connection in the middle of whatever it carries.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		conn.Close()
	}
}
