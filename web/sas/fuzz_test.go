//go:build !js

package sas

import (
	"testing"
	"time"
)

// FuzzParseLink: whatever somebody pastes is explained or refused.
func FuzzParseLink(f *testing.F) {
	f.Add("https://first1.table.core.windows.net/T?sv=2019-02-02&tn=T&sp=raud&st=2026-01-01&se=2027-01-01T00:00Z&sip=10.0.0.1-10.0.0.9&spr=https&spk=a&srk=b&epk=c&erk=d&sig=x%3D")
	f.Add("TableEndpoint=https://first1.table.core.windows.net;SharedAccessSignature=sv=2020-12-06&ss=t&srt=sco&sp=rwdlacu&se=2027-01-01&sig=x;A=b")
	f.Fuzz(func(t *testing.T, text string) {
		link, problem := ParseLink(text)
		if problem != "" {
			return
		}
		token := link.Effective()
		token.Problems()
		token.Validity(time.Date(2026, 11, 20, 18, 44, 2, 0, time.UTC))
		if len(token.Summary()) == 0 {
			t.Error("no summary")
		}
		key := []byte("key")
		token.Account = "first1"
		again, problem := ParseLink(Query(token.Signed(key)))
		if problem == "" && !again.SignedWith("first1", key) {
			t.Errorf("the signature of %+v is not that of %+v", again.Token, token)
		}
	})
}
