package payload

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"sandtable/odata"
)

// isXML reports whether the standard library accepts a body. It is only used where
// that is not stricter: it knows the letters of an older Unicode, and accepts only
// references to characters of XML.
func isXML(body []byte) bool {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if bytes.Contains(body, []byte("&#")) || bytes.ContainsFunc(body, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return true
	}
	d := xml.NewDecoder(bytes.NewReader(body))
	for {
		if _, err := d.Token(); err != nil {
			return err == io.EOF
		}
	}
}

func FuzzDecodeAtomEntity(f *testing.F) {
	for _, seed := range []string{
		entry(``), entry(`<d:PartitionKey>p</d:PartitionKey><d:RowKey m:type="Edm.Int32">5</d:RowKey><d:a m:null="true"/>`),
		entry(`<d:a>&#x1; <![CDATA[<]]><!-- c --> &lt;` + "\r\n" + `</d:a><d:b xml:space="preserve"> </d:b>`),
		entry(`<d:d m:type="Edm.Double">-INF</d:d><d:e m:type="Edm.DateTime">2013-08-02</d:e><d:f m:type="Edm.Binary"> YQ==</d:f>`),
		`<a:entry xmlns:a="` + atomNamespace + `"><?p q?></a:entry>`, "\uFEFF<?xml version='1.0'?><x a='b' y:c=\"d\"/>", `<!DOCTYPE x [<!ENTITY y "z">]><x>&y;</x>`,
	} {
		f.Add([]byte(seed))
		f.Add([]byte(entry(seed)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		b, err := DecodeAtomEntity(body)
		if err != nil {
			if !errors.Is(err, ErrSyntax) && !errors.Is(err, ErrDuplicateProperty) {
				t.Errorf("%q gives another error: %v", body, err)
			}
			return
		}
		if !isXML(body) {
			t.Errorf("%q is taken and is no XML", body)
		}
		key, err := b.Key()
		if err != nil && !errors.Is(err, ErrKeyMissing) && !errors.Is(err, ErrKeyType) {
			t.Errorf("%q gives another error for its keys: %v", body, err)
		}
		// The decoded entity is the same after encoding and decoding.
		checkAtomRoundTrip(t, &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey, Properties: plainProperties(b.Properties)})
	})
}

func checkAtomRoundTrip(t *testing.T, e *odata.Entity) {
	t.Helper()
	for _, old := range []bool{false, true} {
		a := atom(t)
		a.Old = old
		checkAtomBody(t, a.AppendEntity(nil, "T", e), e)
	}
}

func checkAtomBody(t *testing.T, body []byte, e *odata.Entity) {
	t.Helper()
	if !isXML(body) {
		t.Fatalf("%s is no XML", body)
	}
	b, err := DecodeAtomEntity(body)
	if err != nil {
		t.Fatalf("%s gives %v", body, err)
	}
	key, err := b.Key()
	got := &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey, Timestamp: e.Timestamp, Properties: b.Properties}
	if err != nil || !sameEntity(got, e) {
		t.Errorf("%s reads as %+v, %v, want %+v", body, got, err, e)
	}
}

// FuzzAtomRoundTrip encodes and decodes an entity with a property of each type.
func FuzzAtomRoundTrip(f *testing.F) {
	f.Add("p", "r", "name", "text", []byte("data"), int32(1), int64(1), math.Float64bits(1.5), int64(odata.MinDateTime), true)
	f.Add(" ", "'", "é", "\x00\u2028\r\n\"<&>]]>\U0001F600", []byte{}, int32(math.MinInt32), int64(math.MinInt64), math.Float64bits(math.NaN()), int64(odata.MaxDateTime), false)
	f.Add("o'x\uFFFF", "\t", "_1", "\uFFFD\uFFFE\r", []byte{0, 255}, int32(-1), int64(math.MaxInt64), math.Float64bits(5e-324), int64(0), false)
	f.Add("", "", "µ", "\u00A0", []byte{0}, int32(0), int64(0), math.Float64bits(math.Inf(-1)), int64(odata.MaxDateTime), false)
	fuzzEntities(f, checkAtomRoundTrip)
}

// FuzzAppendXML decodes with the standard library.
func FuzzAppendXML(f *testing.F) {
	f.Add("plain")
	f.Add("a<b>&c\"'\r\n\t]]>")
	f.Add("é\uA015\uFFFD\U0001F600\x01\uFFFE")
	f.Fuzz(func(t *testing.T, s string) {
		want := string([]rune(s))
		if strings.ContainsFunc(want, noCharacter) {
			return
		}
		var got struct {
			Attribute string `xml:"a,attr"`
			Text      string `xml:",chardata"`
		}
		body := append(appendXMLAttribute([]byte(`<x a="`), s), `">`...)
		body = append(appendXML(body, s), `</x>`...)
		if err := xml.Unmarshal(body, &got); err != nil {
			t.Fatalf("%q is written as %q: %v", s, body, err)
		}
		// A run of invalid UTF-8 becomes one U+FFFD.
		want = strings.ToValidUTF8(s, "\uFFFD")
		if got.Text != want || got.Attribute != want {
			t.Errorf("%q is written as %q, which reads as %q and %q", s, body, got.Attribute, got.Text)
		}
	})
}

func FuzzDecodeAtomTableName(f *testing.F) {
	for _, seed := range []string{entry(`<d:TableName>People</d:TableName>`), entry(`<d:TableName m:null="true"/>`), entry(`<d:TableName m:type="Edm.Guid"/>`), `<entry/>`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		name, err := DecodeAtomTableName(body)
		if err != nil {
			if name != "" {
				t.Errorf("%q gives %v and the name %q", body, err, name)
			}
			return
		}
		a := atom(t)
		if again, err := DecodeAtomTableName(a.AppendTable(nil, name)); !isXML(body) || err != nil || again != name {
			t.Errorf("%q gives %q, which reads as %q, %v", body, name, again, err)
		}
	})
}

// noCharacter reports whether XML allows a character only as a reference.
func noCharacter(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}
