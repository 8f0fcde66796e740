package odata_test

import (
	"testing"

	"sandtable/odata"
)

func FuzzToken(f *testing.F) {
	for _, token := range []string{"1!8!U21pdGg-", "1!0!", "1!8!QmVuOTk5", "1!12!QmVuMTg5OA--", "", "1!!", "2!4!MQ--"} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		text := odata.DecodeToken(token)
		if again := odata.DecodeToken(odata.EncodeToken(text)); again != text {
			t.Errorf("%q became %q", text, again)
		}
	})
}

func TestTokens(t *testing.T) {
	for text, token := range map[string]string{
		"Smith": "1!8!U21pdGg-", "Ben999": "1!8!QmVuOTk5", "Ben1898": "1!12!QmVuMTg5OA--", "contToken": "1!12!Y29udFRva2Vu", "": "1!0!",
		"~~~???>>>": "1!12!fn5*Pz8_Pj4*",
	} {
		if got := odata.EncodeToken(text); got != token {
			t.Errorf("%q: got %s, want %s", text, got, token)
		}
		if got := odata.DecodeToken(token); got != text {
			t.Errorf("%s: got %q", token, got)
		}
	}
	for _, text := range []string{"2!4!QQ--", "1!5!QQ--", "1!4!QQ-", "1!4!QQ!-"} {
		if got := odata.DecodeToken(text); got != text {
			t.Errorf("%s, which is no token: got %q", text, got)
		}
	}
}
