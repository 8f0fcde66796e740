//go:build !js

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/server"
)

// The certificate authority's files in the data folder.
const (
	authorityFile    = "ca.pem"
	authorityKeyFile = "ca-key.pem"
)

const (
	authorityLifetime = 10 * 365 * 24 * time.Hour
	// certificateLifetime is below the 825 days that some systems allow. Every start
	// creates a new certificate.
	certificateLifetime = 397 * 24 * time.Hour
)

// tlsFlags are the flags of a command that can speak HTTPS.
type tlsFlags struct {
	on        bool
	cert, key string
}

// register registers the flags.
func (f *tlsFlags) register(flags *flag.FlagSet) {
	flags.BoolVar(&f.on, "tls", false, "serve HTTPS with a certificate for localhost and the hosts of the Table service, signed by\nan authority that is created once on this machine")
	flags.StringVar(&f.cert, "tls-cert", "", "serve HTTPS with the certificate in this `file` (PEM)")
	flags.StringVar(&f.key, "tls-key", "", "the `file` of that certificate's key (PEM)")
}

// scheme returns the URL scheme.
func (f *tlsFlags) scheme() string {
	if f.on || f.cert != "" {
		return "https"
	}
	return "http"
}

// config returns the TLS configuration, nil for plain HTTP. Without the user's own
// files it creates a certificate for the hosts, signed by an authority whose files are
// in a folder.
func (f *tlsFlags) config(dir string, hosts []string) (*tls.Config, error) {
	switch {
	case (f.cert == "") != (f.key == ""):
		return nil, errors.New("-tls-cert and -tls-key go together")
	case f.cert != "":
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, fmt.Errorf("load the certificate: %w", err)
		}
		return &tls.Config{Certificates: []tls.Certificate{pair}}, nil
	case !f.on:
		return nil, nil
	}
	ca, err := openAuthority(dir)
	if err != nil {
		return nil, fmt.Errorf("certificate authority in %s: %w", dir, err)
	}
	pair, err := ca.sign(hosts)
	if err != nil {
		return nil, fmt.Errorf("sign a certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}, nil
}

// authority signs certificates for hosts of this machine.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// openAuthority loads the authority of a folder, or creates it if neither of its files
// exists. If one is left, clients may trust the authority, so it is not replaced.
func openAuthority(dir string) (*authority, error) {
	var found, missing []string
	for _, file := range []string{authorityFile, authorityKeyFile} {
		if _, err := os.Stat(filepath.Join(dir, file)); errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, file)
		} else {
			found = append(found, file)
		}
	}
	switch len(missing) {
	case 0:
		return loadAuthority(dir)
	case 1:
		return nil, fmt.Errorf("there is no %s: restore it, or remove %s to create a new authority, which clients then have to trust", missing[0], found[0])
	}
	return makeAuthority(dir)
}

func loadAuthority(dir string) (*authority, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, authorityFile), filepath.Join(dir, authorityKeyFile))
	if err != nil {
		return nil, err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("it was not created by sandtable")
	}
	if time.Now().After(pair.Leaf.NotAfter) {
		return nil, fmt.Errorf("it expired on %s: remove %s and %s to create a new one, which clients then have to trust", pair.Leaf.NotAfter.Format(time.DateOnly), authorityFile, authorityKeyFile)
	}
	if !pair.Leaf.PermittedDNSDomainsCritical {
		return nil, fmt.Errorf("it may sign for any host: remove %s and %s to create one that may not, and stop trusting this one", authorityFile, authorityKeyFile)
	}
	return &authority{pair.Leaf, key}, nil
}

func makeAuthority(dir string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serialNumber(), Subject: pkix.Name{CommonName: "Sandtable on this machine", Organization: []string{"Sandtable"}},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(authorityLifetime),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		// A stolen key cannot impersonate any other host, or the sender of an e-mail:
		// no address ends in .invalid (RFC 2606).
		PermittedDNSDomainsCritical: true, PermittedDNSDomains: authorityDomains(),
		PermittedIPRanges: []*net.IPNet{loopback4, loopback6}, PermittedEmailAddresses: []string{"sandtable.invalid"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := writePEM(filepath.Join(dir, authorityKeyFile), "PRIVATE KEY", keyDER, 0o600); err != nil {
		return nil, err
	}
	if err := writePEM(filepath.Join(dir, authorityFile), "CERTIFICATE", der, 0o644); err != nil {
		return nil, err
	}
	return loadAuthority(dir)
}

func writePEM(path, kind string, der []byte, mode os.FileMode) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}

// serialNumber returns 16 random bytes.
func serialNumber() *big.Int {
	b := make([]byte, 16)
	rand.Read(b)
	return new(big.Int).SetBytes(b)
}

// sign creates a certificate for names and addresses.
func (a *authority) sign(hosts []string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serialNumber(), Subject: pkix.Name{CommonName: hosts[0], Organization: []string{"Sandtable"}},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateLifetime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: key}, nil
}

// authorityDomains are the domains and subdomains that the authority may sign for.
//
// Source: RFC 5280, section 4.2.1.10.
func authorityDomains() []string {
	domains := []string{"localhost"}
	for _, suffix := range server.ServiceSuffixes() {
		domains = append(domains, strings.TrimPrefix(suffix, "."))
	}
	return domains
}

var (
	loopback4 = &net.IPNet{IP: net.IPv4(127, 0, 0, 0).To4(), Mask: net.CIDRMask(8, 32)}
	loopback6 = &net.IPNet{IP: net.IPv6loopback, Mask: net.CIDRMask(128, 128)}
)

// tlsHosts are the hosts of a certificate: this machine, and the accounts' hosts in
// the cloud, for clients redirected by a hosts entry or a proxy. Wildcards cover
// accounts that are created later.
func tlsHosts(accounts []engine.Account) []string {
	hosts := []string{"localhost", "127.0.0.1", "::1", "*.localhost"}
	for _, suffix := range server.ServiceSuffixes() {
		hosts = append(hosts, "*"+suffix)
	}
	for _, account := range accounts {
		// Also by name: browsers do not accept *.localhost.
		hosts = append(hosts, account.Name+".localhost", account.Name+"-secondary.localhost")
	}
	return hosts
}

// warnExpired prints that clients refuse the user's own certificate. The authority
// signs a new one at each start.
func warnExpired(w io.Writer, config *tls.Config) {
	if config == nil {
		return
	}
	if leaf := config.Certificates[0].Leaf; leaf != nil && time.Now().After(leaf.NotAfter) {
		fmt.Fprintf(w, "The certificate in -tls-cert expired on %s, so clients refuse it.\n", leaf.NotAfter.Format(time.DateOnly))
	}
}

// explain prints how to make clients trust the authority, if there is one.
func (f *tlsFlags) explain(w io.Writer, addr, dir string) {
	if !f.on || f.cert != "" {
		return
	}
	if !isLoopback(addr) {
		fmt.Fprintln(w, "The certificate is for localhost and the hosts of the Table service only; for other hosts use -tls-cert.")
	}
	fmt.Fprintf(w, `An authority of this machine signs the certificate. To trust it:
  Node.js   NODE_EXTRA_CA_CERTS=%[1]s
  Go, curl  SSL_CERT_FILE=%[1]s, curl --cacert %[1]s
  Debian    sudo cp %[1]s /usr/local/share/ca-certificates/sandtable.crt && sudo update-ca-certificates
  macOS     sudo security add-trusted-cert -d -r trustRoot -p ssl -k /Library/Keychains/System.keychain %[1]s
  Windows   certutil -addstore -user Root %[1]s
`, filepath.Join(dir, authorityFile))
}
