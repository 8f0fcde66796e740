package xmlscan

import (
	"strings"
	"testing"
)

// outline reads a document to its end and writes it as (name text (child …)).
func outline(document string) (string, error) {
	s, ok := New([]byte(document))
	if !ok {
		return "", ErrSyntax
	}
	var b strings.Builder
	for {
		kind, err := s.Next()
		if err != nil {
			return "", err
		}
		switch kind {
		case Start:
			b.WriteString("(" + s.Name.Local)
			if s.Name.Space != "" {
				b.WriteString("@" + s.Name.Space)
			}
		case Text:
			b.WriteString(" " + s.Chars)
		case End:
			b.WriteString(")")
		case Done:
			return b.String(), nil
		}
	}
}

func TestDocuments(t *testing.T) {
	for _, c := range []struct{ name, document, want string }{
		{"one element", "<a/>", "(a)"},
		{"a declaration and a byte order mark", "\uFEFF<?xml version='1.0' encoding='utf-8' standalone='yes'?>\r\n<a />\n", "(a)"},
		{"text", "<a> x </a>", "(a  x )"},
		{"blanks alone are no text", "<a>\n\t<b>x</b>\n</a>", "(a(b x))"},
		{"but where they are to be kept", `<a xml:space="preserve">  </a>`, "(a   )"},
		{"references", "<a>&lt;&amp;&#x41;&#66;&apos;&quot;&gt;</a>", `(a <&AB'">)`},
		{"a character that only a reference can name", "<a>&#1;</a>", "(a \x01)"},
		{"CDATA and comments", "<a>x<!-- y --><![CDATA[<z>]]></a>", "(a x <z>)"},
		{"instructions", "<?do it?><a><?now?></a>", "(a)"},
		{"ends of lines", "<a>x\r\ny\rz</a>", "(a x\ny\nz)"},
		{"namespaces", `<p:a xmlns:p="urn:p" xmlns="urn:d"><b/><p:c xmlns:p="urn:q"/><p:d/></p:a>`, "(a@urn:p(b@urn:d)(c@urn:q)(d@urn:p))"},
		{"an attribute of the same name without a namespace", `<a xmlns:x="u" xmlns="u" x:b="1" b="2" x="3"/>`, "(a@u)"},
		{"white space after the root", "<a>x</a>\n", "(a x)"},
		{"a namespace undone", `<a xmlns="urn:d"><b xmlns=""/></a>`, "(a@urn:d(b))"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := outline(c.document); got != c.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestNoDocuments(t *testing.T) {
	attributes := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(" a" + strings.Repeat("x", i) + `="1"`)
		}
		return "<a" + b.String() + "/>"
	}
	for name, document := range map[string]string{
		"nothing":                             "",
		"text alone":                          "x",
		"two roots":                           "<a/><b/>",
		"text behind the root":                "<a/>x",
		"no end":                              "<a><b></b>",
		"ends crossed":                        "<a><b></a></b>",
		"an end too many":                     "<a/></a>",
		"an attribute twice":                  `<a b="1" b="2"/>`,
		"an attribute twice by its namespace": `<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>`,
		"no quotes":                           "<a b=1/>",
		"another character in a name":         "<a|/>",
		"another value of xml:space":          `<a xml:space="keep"/>`,
		"another character after a target":    "<?do+it?><a/>",
		"an unbound prefix":                   "<p:a/>",
		"a document type":                     "<!DOCTYPE a><a/>",
		"an entity of its own":                "<a>&b;</a>",
		"a reference to nothing":              "<a>&#xD800;</a>",
		"a bare ampersand":                    "<a>&</a>",
		"the end of CDATA in text":            "<a>]]></a>",
		"CDATA after the root":                "<a/><![CDATA[x]]>",
		"two dashes in a comment":             "<a><!-- -- --></a>",
		"a late declaration":                  " <?xml version='1.0'?><a/>",
		"another encoding":                    "<?xml version='1.0' encoding='latin1'?><a/>",
		"no UTF-8":                            "<a>\xff</a>",
		"a control character":                 "<a>\x01</a>",
		"no character":                        "<a>\uFFFF</a>",
		"too deep":                            strings.Repeat("<a>", MaxDepth+1) + strings.Repeat("</a>", MaxDepth+1),
		"too many attributes":                 attributes(MaxAttributes + 1),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := outline(document); err != ErrSyntax {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	if _, err := outline(attributes(MaxAttributes)); err != nil {
		t.Errorf("as many attributes as there may be: %v", err)
	}
}

func TestAttributesAndSkipping(t *testing.T) {
	s, ok := New([]byte(`<a xmlns:m="urn:m" m:b="1 &amp; 2" c='3'><d><e>x</e></d><f/></a>`))
	if !ok {
		t.Fatal("not read")
	}
	if kind, err := s.Next(); kind != Start || err != nil {
		t.Fatal(kind, err)
	}
	if got, ok := s.Attribute(Name{"urn:m", "b"}); got != "1 & 2" || !ok {
		t.Errorf("m:b is %q, %v", got, ok)
	}
	if _, ok := s.Attribute(Name{"", "b"}); ok {
		t.Error("b is there without its namespace")
	}
	if kind, _ := s.Next(); kind != Start || s.Name.Local != "d" {
		t.Fatalf("at %v %v", kind, s.Name)
	}
	if err := s.SkipElement(); err != nil {
		t.Fatal(err)
	}
	if kind, _ := s.Next(); kind != Start || s.Name.Local != "f" {
		t.Errorf("behind it is %v %v", kind, s.Name)
	}
}

func FuzzScanner(f *testing.F) {
	f.Add(`<a xmlns:p="urn:p"><p:b c="d">x&amp;<![CDATA[y]]></p:b><!-- z --></a>`)
	f.Fuzz(func(t *testing.T, document string) {
		first, err := outline(document)
		if again, errAgain := outline(document); again != first || err != errAgain {
			t.Errorf("read twice: %q, %v and %q, %v", first, err, again, errAgain)
		}
		if err == nil && strings.Count(first, "(") < 1 {
			t.Errorf("a document without a root: %q", first)
		}
	})
}
