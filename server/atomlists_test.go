package server_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sandtable/odata"
)

// property is a property of an entity, with its value in the form of Atom.
type property struct{ name, typ, text string }

// oddTexts are what keys and strings are made of; keys may not have the last ones.
var (
	oddTexts = []string{"a", "B", " ", "'", `"`, "&", "&amp;", "<", ">", "]]>", "%", "%41", "+", "{name}", "é", "\u00a0", "\uFFFD", "\U0001F600", "\U0010FFFF",
		"\x00", "\x1f", "\t", "\n", "\r", "\r\n", "/", `\`, "#", "\ufeff", "\ufffe", "<![CDATA[", "<!--", "&#x41;"}
	keyTexts  = oddTexts[:slices.Index(oddTexts, "\x00")]
	oddNames  = []string{"A", "a", "B", "_", "été", "имя", "timestamp", "xml", "content", "id"}
	oddValues = map[string][]string{
		"Edm.Int32":    {"0", "-1", "2147483647", "-2147483648"},
		"Edm.Int64":    {"0", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808"},
		"Edm.Double":   {"NaN", "INF", "-INF", "0", "-0", "1E+300", "-1E-300", "5E-324", "1E+15", "0.1", "-100"},
		"Edm.Boolean":  {"true", "false"},
		"Edm.DateTime": {"1601-01-01T00:00:00Z", "9999-12-31T23:59:59.9999999Z", "2020-02-29T12:00:00.1Z"},
		"Edm.Binary":   {"", "AA==", "/+8="},
		"Edm.Guid":     {"00000000-0000-0000-0000-000000000000", "c9da6455-213d-42c9-9a79-3e9149a57833"},
	}
)

// text returns a text, which may be empty.
func (l *lists) text(of []string) (s string) {
	for range l.IntN(5) {
		s += pickOf(l.Rand, of)
	}
	return s
}

func (l *lists) properties(key odata.Key) []property {
	all := []property{{"PartitionKey", "Edm.String", key.PartitionKey}, {"RowKey", "Edm.String", key.RowKey}}
	for _, i := range l.Perm(len(oddNames))[:l.IntN(6)] {
		p := property{oddNames[i], "Edm." + pickOf(l.Rand, listedTypes), ""}
		if p.text = l.text(oddTexts); p.typ != "Edm.String" {
			p.text = pickOf(l.Rand, oddValues[p.typ])
		}
		all = append(all, canonical(p))
	}
	return all
}

// canonical gives a Double one form.
func canonical(p property) property {
	if f, err := strconv.ParseFloat(p.text, 64); err == nil && p.typ == "Edm.Double" {
		p.text = strconv.FormatFloat(f, 'E', -1, 64)
		if math.IsInf(f, 0) {
			p.text = strings.Replace(strings.TrimPrefix(p.text, "+"), "Inf", "INF", 1)
		}
	}
	return p
}

// inJSON and inAtom return the body of a request.
func inJSON(all []property) string {
	var members []string
	for _, p := range all {
		if p.typ == "Edm.Double" {
			p.text = strings.Replace(p.text, "INF", "Infinity", 1)
		}
		text, _ := json.Marshal(p.text) // a string always encodes
		members = append(members, fmt.Sprintf(`"%s@odata.type":"%s","%[1]s":%[3]s`, p.name, p.typ, text))
	}
	return "{" + strings.Join(members, ",") + "}"
}

var notPlain = regexp.MustCompile("[\x00-\x1f&<>\ufffe]")

func inAtom(all []property) (elements string) {
	for _, p := range all {
		text := notPlain.ReplaceAllStringFunc(p.text, func(s string) string { return fmt.Sprintf("&#%d;", []rune(s)[0]) })
		elements += fmt.Sprintf(`<d:%s m:type="%s" xml:space="preserve">%s</d:%[1]s>`, p.name, p.typ, text)
	}
	return entry(elements)
}

// readEntity is what an entry of Atom or an object of JSON says.
type readEntity struct {
	etag, id, link, typ string
	properties          []property
}

// atomEntry is an entry, without white space between elements.
type atomEntry struct {
	ETag string `xml:"etag,attr"`
	ID   string `xml:"id"`
	Link struct {
		Href string `xml:"href,attr"`
	} `xml:"link"`
	Category struct {
		Term string `xml:"term,attr"`
	} `xml:"category"`
	Elements struct {
		All []struct {
			XMLName xml.Name
			Type    string `xml:"type,attr"`
			Null    bool   `xml:"null,attr"`
			Space   string `xml:"space,attr"`
			Text    string `xml:",chardata"`
		} `xml:",any"`
	} `xml:"content>properties"`
}

// The references to characters that XML does not have are texts of their own while it is read.
var reference, marked = regexp.MustCompile("&#x([0-9A-F]+);"), regexp.MustCompile("\ue123([0-9A-F]+);")

func readXML(t *testing.T, body string, into any) {
	t.Helper()
	if err := xml.Unmarshal([]byte(reference.ReplaceAllString(body, "\ue123$1;")), into); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
}

func (e *atomEntry) read() readEntity {
	read := readEntity{e.ETag, e.ID, e.Link.Href, e.Category.Term, nil}
	for _, p := range e.Elements.All {
		switch {
		case p.Null:
			p.Type = "null"
		case p.Type == "" && (p.Space == "preserve" || strings.TrimSpace(p.Text) == p.Text):
			p.Type = "Edm.String"
		}
		text := marked.ReplaceAllStringFunc(p.Text, func(s string) string {
			n, _ := strconv.ParseInt(strings.Trim(s, "\ue123;"), 16, 32)
			return string(rune(n))
		})
		read.properties = append(read.properties, canonical(property{p.XMLName.Local, p.Type, text}))
	}
	return read
}

// readJSON reads an object with full metadata.
func readJSON(t *testing.T, body string) (read readEntity) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	types := map[string]string{}
	for d.Token(); d.More(); { // the first one is the brace
		name, _ := d.Token()
		value, err := d.Token()
		if err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		text := fmt.Sprint(value)
		switch name := name.(string); name {
		case "odata.metadata":
		case "odata.etag":
			read.etag = text
		case "odata.id":
			read.id = text
		case "odata.editLink":
			read.link = text
		case "odata.type":
			read.typ = text
		default:
			if of, ok := strings.CutSuffix(name, "@odata.type"); ok {
				types[of] = text
				continue
			}
			if types[name] == "" {
				types[name], text = typeOf(value, text)
			}
			read.properties = append(read.properties, canonical(property{name, types[name], text}))
		}
	}
	return read
}

// typeOf returns the type of a value without one.
func typeOf(value json.Token, text string) (typ, same string) {
	switch value.(type) {
	case nil:
		return "null", ""
	case bool:
		return "Edm.Boolean", text
	case string:
		return "Edm.String", text
	}
	if strings.ContainsAny(text, ".E") {
		return "Edm.Double", text
	}
	return "Edm.Int32", text
}

// fillOdd writes entities in Atom or JSON, and checks that they are read in JSON as they were
// sent.
func (l *lists) fillOdd() {
	for i := range 40 {
		key := odata.Key{PartitionKey: pickOf(l.Rand, keyTexts), RowKey: l.text(keyTexts) + fmt.Sprint(i)}
		path := odata.Path{Resource: odata.EntityResource, Table: "things", Key: key}.String()
		sent := l.properties(key)
		version := "x-ms-version: " + pickOf(l.Rand, []string{"2011-08-18", "2014-02-14"})
		switch l.IntN(4) {
		case 0:
			l.do("POST", "/things", inAtom(sent), version, atomAccept, atomContent).wantStatus(201)
		case 1:
			l.do("PUT", path, inAtom(sent), version, atomAccept, atomContent).wantStatus(204)
		case 2:
			l.do("MERGE", path, inAtom(sent), version, atomAccept, atomContent).wantStatus(204)
		default:
			l.insert("things", inJSON(sent))
		}
		read := readJSON(l.T, l.do("GET", path, "", "Accept: application/json;odata=fullmetadata").wantStatus(200).body).properties
		read = slices.Delete(read, 2, 3) // Timestamp
		byName := func(a, b property) int { return strings.Compare(a.name, b.name) }
		slices.SortFunc(read, byName)
		slices.SortFunc(sent, byName)
		if !slices.Equal(read, sent) {
			l.Fatalf("sent %q, read %q", sent, read)
		}
		l.keys = append(l.keys, path)
	}
}

// feed returns the entries of all pages.
func (l *lists) feed(q url.Values, version string) (all []readEntity) {
	for {
		r := l.do("GET", "/things()?"+q.Encode(), "", version, atomAccept).wantStatus(200)
		var feed struct {
			Entries []atomEntry `xml:"entry"`
		}
		readXML(l.T, r.body, &feed)
		for _, e := range feed.Entries {
			all = append(all, e.read())
		}
		next := r.header.Get("x-ms-continuation-NextPartitionKey")
		if next == "" {
			return all
		}
		q.Set("NextPartitionKey", next)
		q.Set("NextRowKey", r.header.Get("x-ms-continuation-NextRowKey"))
	}
}

// oddQuery returns query parameters that Get Entity takes as well.
func (l *lists) oddQuery() url.Values {
	q := url.Values{"$filter": {pickOf(l.Rand, []string{"", "A gt 0", "a ne 'x'", "PartitionKey gt 'a'", "RowKey ge 'B' or A lt 5L"})}}
	if l.IntN(2) == 0 {
		names := append([]string{"Missing", "PartitionKey", "RowKey", "Timestamp"}, oddNames...)
		l.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		q.Set("$select", strings.Join(names[:1+l.IntN(4)], ","))
	}
	return q
}

// TestAtomSaysWhatJSONSays: entities are the same in Atom as in JSON with full metadata, in
// both layouts, alone and in lists, and as they were sent in either.
func TestAtomSaysWhatJSONSays(t *testing.T) {
	for seed := range uint64(4) {
		l := &lists{fixture: newFixture(t), Rand: rand.New(rand.NewPCG(seed, 20261130))}
		l.createTable("things")
		l.fillOdd()
		if seed%2 == 0 {
			l.intoBlocks()
		}
		for range 20 {
			q, version := l.oddQuery(), "x-ms-version: "+pickOf(l.Rand, []string{"2011-08-18", "2014-02-14"})
			want := map[string]readEntity{}
			for _, path := range l.keys {
				inJSON := l.do("GET", path+"?"+q.Encode(), "", atomVersion, "Accept: application/json;odata=fullmetadata")
				inAtom := l.do("GET", path+"?"+q.Encode(), "", version, atomAccept).wantStatus(inJSON.status)
				if inJSON.status == 404 {
					continue
				}
				var alone atomEntry
				readXML(t, inAtom.body, &alone)
				e := readJSON(t, inJSON.body)
				if want[e.id] = e; !reflect.DeepEqual(alone.read(), e) {
					t.Fatalf("seed %d, %s, %v: Atom says\n%q, JSON\n%q", seed, version, q, alone.read(), e)
				}
			}
			q.Set("$top", fmt.Sprint(1+l.IntN(50)))
			found := l.feed(q, version)
			for _, got := range found {
				if !reflect.DeepEqual(got, want[got.id]) {
					t.Fatalf("seed %d, %s, %v: a feed has\n%q, want\n%q", seed, version, q, got, want[got.id])
				}
			}
			if len(found) != len(want) {
				t.Fatalf("seed %d, %v: %d entries, want %d", seed, q, len(found), len(want))
			}
		}
	}
}
