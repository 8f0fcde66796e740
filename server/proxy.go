package server

import (
	"net/netip"
	"strings"

	"sandtable/server/message"
)

// trustProxies makes a request from a trusted proxy look as it reached that
// proxy: its TLS and RemoteAddr become those of X-Forwarded-Proto and
// X-Forwarded-For. The caller's address is the last one that is not a trusted
// proxy's; what comes before it can be forged.
func trustProxies(trusted []netip.Prefix, in *message.Request) {
	if len(trusted) == 0 || !isTrusted(trusted, hostname(in.RemoteAddr)) {
		return
	}
	if proto := in.Header.Get("X-Forwarded-Proto"); proto != "" {
		in.TLS = strings.EqualFold(proto, "https")
	}
	hops := strings.Split(strings.Join(in.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if _, err := netip.ParseAddr(hop); err != nil {
			return
		}
		in.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(hop), 0).String()
		if !isTrusted(trusted, hop) {
			return
		}
	}
}

func isTrusted(trusted []netip.Prefix, address string) bool {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	ip = ip.Unmap()
	for _, prefix := range trusted {
		if prefix.Contains(ip) {
			return true
		}
	}
	return false
}
