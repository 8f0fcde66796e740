//go:build !js

package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
)

// serveTLS starts a server that returns "ok" and returns its address.
func serveTLS(t *testing.T, config *tls.Config) string {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return listener.Addr().String()
}

// trusting returns a client that trusts a folder's authority and resolves every host
// to one address.
func trusting(t *testing.T, dir, addr string) *http.Client {
	t.Helper()
	pem, err := os.ReadFile(filepath.Join(dir, authorityFile))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		t.Fatal("the authority's file contains no certificate")
	}
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	}}
}

func TestAuthorityIsMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	flags := tlsFlags{on: true}
	config, err := flags.config(dir, tlsHosts([]engine.Account{{Name: "devstoreaccount1"}}))
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	flags.explain(&printed, "0.0.0.0:10002", dir)
	if !strings.Contains(printed.String(), "NODE_EXTRA_CA_CERTS="+filepath.Join(dir, authorityFile)) {
		t.Errorf("printed %s", printed.String())
	}
	if info, err := os.Stat(filepath.Join(dir, authorityKeyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", info, err)
	}
	client := trusting(t, dir, serveTLS(t, config))
	// A second start has another certificate of the same authority.
	again, err := flags.config(dir, tlsHosts([]engine.Account{{Name: "devstoreaccount1"}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []*http.Client{client, trusting(t, dir, serveTLS(t, again))} {
		for _, host := range []string{"localhost", "127.0.0.1", "devstoreaccount1.table.core.windows.net", "devstoreaccount1-secondary.localhost", "later1.table.cosmos.azure.com", "later1-secondary.table.core.usgovcloudapi.net"} {
			response, err := client.Get("https://" + host + "/")
			if err != nil {
				t.Errorf("%s: %v", host, err)
				continue
			}
			response.Body.Close()
		}
		if _, err := client.Get("https://other.example/"); err == nil {
			t.Error("the certificate is valid for any host")
		}
	}
}

// TestAuthorityIsConstrained: the authority cannot sign for other hosts, so a stolen
// key cannot impersonate a bank (issue 16 §1.12).
func TestAuthorityIsConstrained(t *testing.T) {
	dir := t.TempDir()
	ca, err := makeAuthority(dir)
	if err != nil {
		t.Fatal(err)
	}
	for host, good := range map[string]bool{
		"localhost": true, "a.localhost": true, "127.9.8.7": true, "::1": true, "first1.table.core.windows.net": true, "first1.table.cosmos.azure.com": true,
		"bank.example": false, "core.windows.net": false, "first1.blob.core.windows.net": false, "evillocalhost": false, "192.168.1.2": false, "::2": false,
	} {
		pair, err := ca.sign([]string{host})
		if err != nil {
			t.Fatal(err)
		}
		client := trusting(t, dir, serveTLS(t, &tls.Config{Certificates: []tls.Certificate{pair}}))
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		response, err := client.Get("https://" + host + "/")
		if err == nil {
			response.Body.Close()
		}
		if (err == nil) != good {
			t.Errorf("a certificate for %s: %v", host, err)
		}
	}
}

// TestAuthorityIsForServersOnly: a stolen key signs no e-mail and no programs, not even
// for clients that look at names alone or at uses alone.
func TestAuthorityIsForServersOnly(t *testing.T) {
	ca, err := makeAuthority(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	verify := func(use x509.ExtKeyUsage, mail ...string) error {
		leaf := &x509.Certificate{SerialNumber: serialNumber(), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{use}, EmailAddresses: mail}
		if mail == nil {
			leaf.DNSNames = []string{"localhost"}
		}
		der, err := x509.CreateCertificate(rand.Reader, leaf, ca.cert, &ca.key.PublicKey, ca.key)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		roots := x509.NewCertPool()
		roots.AddCert(ca.cert)
		_, err = parsed.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{use}})
		return err
	}
	if err := verify(x509.ExtKeyUsageServerAuth); err != nil {
		t.Errorf("a server: %v", err)
	}
	for _, use := range []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageEmailProtection, x509.ExtKeyUsageCodeSigning} {
		if verify(use) == nil {
			t.Errorf("it may sign for use %d", use)
		}
	}
	if verify(x509.ExtKeyUsageServerAuth, "a@bank.example") == nil {
		t.Error("it may sign for an e-mail address")
	}
}

// TestOlderAuthorityWorks: clients trust one without the constraints on uses and e-mail.
func TestOlderAuthorityWorks(t *testing.T) {
	dir := t.TempDir()
	ca, err := makeAuthority(dir)
	if err != nil {
		t.Fatal(err)
	}
	older := *ca.cert
	older.ExtKeyUsage, older.PermittedEmailAddresses = nil, nil
	der, err := x509.CreateCertificate(rand.Reader, &older, &older, &ca.key.PublicKey, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	if err := writePEM(filepath.Join(dir, authorityFile), "CERTIFICATE", der, 0o644); err != nil {
		t.Fatal(err)
	}
	config, err := (&tlsFlags{on: true}).config(dir, []string{"localhost"})
	if err != nil {
		t.Fatal(err)
	}
	response, err := trusting(t, dir, serveTLS(t, config)).Get("https://localhost/")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
}

// TestUnusableAuthorityIsRefused: the whole machine may trust one that may sign for any
// host, and nobody accepts what an expired one signs.
func TestUnusableAuthorityIsRefused(t *testing.T) {
	for want, change := range map[string]func(*x509.Certificate){
		"it may sign for any host": func(c *x509.Certificate) {
			c.PermittedDNSDomainsCritical, c.PermittedDNSDomains, c.PermittedIPRanges = false, nil, nil
		},
		"it expired on 2026-01-02: remove ca.pem and ca-key.pem": func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
		},
	} {
		dir := t.TempDir()
		ca, err := makeAuthority(dir)
		if err != nil {
			t.Fatal(err)
		}
		old := *ca.cert
		change(&old)
		der, err := x509.CreateCertificate(rand.Reader, &old, &old, &ca.key.PublicKey, ca.key)
		if err != nil {
			t.Fatal(err)
		}
		if err := writePEM(filepath.Join(dir, authorityFile), "CERTIFICATE", der, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := openAuthority(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		// As the user's own certificate it is used, with a warning if it expired.
		flags := tlsFlags{cert: filepath.Join(dir, authorityFile), key: filepath.Join(dir, authorityKeyFile)}
		config, err := flags.config("", nil)
		if err != nil {
			t.Fatal(err)
		}
		var printed strings.Builder
		warnExpired(&printed, config)
		if got := strings.Contains(printed.String(), "expired on 2026-01-02"); got != strings.Contains(want, "expired") {
			t.Errorf("%s: printed %q", want, &printed)
		}
	}
}

func TestOwnCertificate(t *testing.T) {
	dir := t.TempDir()
	ca, err := makeAuthority(dir)
	if err != nil {
		t.Fatal(err)
	}
	// The authority's own pair also works for a server.
	flags := tlsFlags{cert: filepath.Join(dir, authorityFile), key: filepath.Join(dir, authorityKeyFile)}
	config, err := flags.config("", nil)
	if err != nil || string(config.Certificates[0].Certificate[0]) != string(ca.cert.Raw) {
		t.Errorf("%v", err)
	}
}

func TestTLSRefused(t *testing.T) {
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, authorityFile), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, authorityKeyFile), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	without := map[string]string{}
	for _, file := range []string{authorityFile, authorityKeyFile} {
		without[file] = t.TempDir()
		if _, err := makeAuthority(without[file]); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(without[file], file)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name     string
		flags    tlsFlags
		dir      string
		contains string
	}{
		{"a certificate without its key", tlsFlags{cert: "x"}, "", "go together"},
		{"no such file", tlsFlags{cert: "missing.pem", key: "missing.key"}, "", "load the certificate"},
		{"an authority without its key is not replaced", tlsFlags{on: true}, without[authorityKeyFile], "there is no ca-key.pem: restore it, or remove ca.pem to create a new authority"},
		{"an authority without its certificate is not replaced", tlsFlags{on: true}, without[authorityFile], "there is no ca.pem: restore it, or remove ca-key.pem to create a new authority"},
		{"a broken authority is not replaced", tlsFlags{on: true}, broken, "certificate authority in " + broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			config, err := c.flags.config(c.dir, []string{"localhost"})
			if config != nil || err == nil || !strings.Contains(err.Error(), c.contains) {
				t.Errorf("got %v", err)
			}
		})
	}
	if config, err := new(tlsFlags).config("", nil); config != nil || err != nil {
		t.Errorf("plain HTTP: %v, %v", config, err)
	}
}

func TestServeTLS(t *testing.T) {
	dir := t.TempDir()
	lines, stop, _ := start(t, "serve", "-addr", "127.0.0.1:0", "-data", dir, "-tls", "-open", "-quiet")
	endpoint := ""
	for line := range lines {
		if _, rest, ok := strings.Cut(line, ";TableEndpoint="); ok {
			if !strings.HasPrefix(line, "DefaultEndpointsProtocol=https;") {
				t.Errorf("connection string %s", line)
			}
			endpoint = strings.TrimSuffix(rest, ";")
			break
		}
	}
	address := strings.TrimPrefix(strings.TrimSuffix(endpoint, "/devstoreaccount1"), "https://")
	client := trusting(t, dir, address)
	for _, base := range []string{endpoint, "https://devstoreaccount1.table.core.windows.net"} {
		response, err := client.Get(base + "/Tables?$format=application/json")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 200 {
			t.Errorf("%s: status %d", base, response.StatusCode)
		}
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
