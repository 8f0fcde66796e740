package nethttp

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// TrustProxies takes scheme and client address from X-Forwarded-Proto and
// X-Forwarded-For if a request comes from a proxy in one of the networks.
// Everybody else can write anything into these headers.
func TrustProxies(h http.Handler, proxies []netip.Prefix) http.Handler {
	trusted := func(ip netip.Addr) bool {
		return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) })
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !trusted(peer.Addr()) {
			h.ServeHTTP(w, r)
			return
		}
		r = r.Clone(r.Context())
		if last(r.Header.Values("X-Forwarded-Proto")) == "https" && r.TLS == nil {
			r.TLS = &tls.ConnectionState{}
		}
		// Each proxy appends the address of its client: the last one that is no
		// proxy of ours is the client's.
		addresses := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		for _, text := range slices.Backward(addresses) {
			text = strings.TrimSpace(text)
			ip, err := netip.ParseAddr(text)
			if with, also := netip.ParseAddrPort(text); also == nil { // Azure's Application Gateway adds the port
				ip, err = with.Addr(), nil
			}
			if err != nil {
				break
			}
			r.RemoteAddr = net.JoinHostPort(ip.Unmap().String(), "0")
			if !trusted(ip) {
				break
			}
		}
		h.ServeHTTP(w, r)
	})
}

// last returns the last element of the last value of a list header.
func last(values []string) string {
	if len(values) == 0 {
		return ""
	}
	value := values[len(values)-1]
	return strings.ToLower(strings.TrimSpace(value[strings.LastIndexByte(value, ',')+1:]))
}
