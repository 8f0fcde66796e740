package server_test

import (
	"encoding/xml"
	"regexp"
	"strings"
	"testing"
)

const (
	atomVersion = "x-ms-version: 2014-02-14"
	atomAccept  = "Accept: application/atom+xml,application/xml"
	atomContent = "Content-Type: application/atom+xml"
)

// entry returns an Atom request body.
func entry(properties string) string {
	return `<?xml version="1.0" encoding="utf-8" standalone="yes"?><entry xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" ` +
		`xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns="http://www.w3.org/2005/Atom"><title /><updated>2008-09-18T23:46:19.3857256Z</updated>` +
		`<author><name /></author><id /><content type="application/xml"><m:properties>` + properties + `</m:properties></content></entry>`
}

// wantParts checks that a body contains these parts in order.
func (r *response) wantParts(parts ...string) *response {
	r.Helper()
	rest := r.body
	for _, part := range parts {
		i := strings.Index(rest, part)
		if i < 0 {
			r.Fatalf("no %s in %s", part, rest)
		}
		rest = rest[i+len(part):]
	}
	return r
}

func TestAtom(t *testing.T) {
	f := newFixture(t)
	f.do("POST", "/Tables", entry(`<d:TableName>things</d:TableName>`), atomVersion, atomAccept, atomContent).wantStatus(201).
		wantHeader("Content-Type", "application/atom+xml;type=entry;charset=utf-8").
		wantHeader("Location", "https://"+testHost+"/Tables('things')").
		wantParts("<id>https://"+testHost+"/Tables('things')</id>", "<d:TableName>things</d:TableName>")
	inserted := f.do("POST", "/things", entry(`<d:Age m:type="Edm.Int32">23</d:Age><d:Big m:type="Edm.Int64">255</d:Big><d:Gone m:null="true" /><d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey>`),
		atomVersion, atomAccept, atomContent).wantStatus(201).wantHeader("Content-Type", "application/atom+xml;type=entry;charset=utf-8")
	etag := inserted.header.Get("ETag")
	properties := []string{`<d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey><d:Timestamp m:type="Edm.DateTime">` + etagTime(etag) + `</d:Timestamp>`,
		`<d:Age m:type="Edm.Int32">23</d:Age><d:Big m:type="Edm.Int64">255</d:Big></m:properties>`}
	inserted.wantParts(append([]string{`m:etag="` + strings.ReplaceAll(etag, `"`, "&quot;") + `"`}, properties...)...)
	f.do("GET", "/things(PartitionKey='p',RowKey='r')", "", atomVersion, "Accept:").wantStatus(200).wantHeader("ETag", etag).wantParts(properties...)
	f.do("GET", "/things()", "", atomVersion, atomAccept).wantStatus(200).
		wantHeader("Content-Type", "application/atom+xml;type=feed;charset=utf-8").wantParts(append([]string{"<feed "}, properties...)...)
	f.do("GET", "/Tables", "", atomVersion, "Accept: */*").wantStatus(200).wantParts("<feed ", "<d:TableName>things</d:TableName>")
	f.do("MERGE", "/things(PartitionKey='p',RowKey='r')", entry(`<d:New>x</d:New>`), atomVersion, atomAccept, atomContent, "If-Match: *").wantStatus(204)
	f.do("PUT", "/things(PartitionKey='p',RowKey='q')", entry(`<d:When m:type="Edm.DateTime">2020-01-01T00:00:00Z</d:When>`), atomVersion, atomAccept, atomContent).wantStatus(204)
	f.do("GET", "/things?$select=New,Age", "", atomVersion, atomAccept).wantStatus(200).
		wantParts(`<d:New m:null="true" />`, `<d:Age m:type="Edm.Int32">23</d:Age>`, `<d:New>x</d:New>`)
	f.do("GET", "/things", "", "Accept: application/json;odata=nometadata").wantStatus(200).wantParts(`"RowKey":"q"`, `"When":"2020-01-01T00:00:00Z"`, `"New":"x"`)
}

// TestAtomOfCosmosTables: the names of tables of Cosmos DB are escaped.
func TestAtomOfCosmosTables(t *testing.T) {
	f := newFixture(t)
	const name, path = `<a & "b">`, "/%3Ca%20%26%20%22b%22%3E"
	f.cosmos("POST", "/Tables", `{"TableName":"<a & \"b\">"}`).wantStatus(201)
	f.cosmos("POST", path, `{"PartitionKey":"p","RowKey":"r"}`).wantStatus(201)
	for _, version := range []string{"x-ms-version: 2011-08-18", atomVersion} {
		for _, target := range []string{path, "/Tables", path + "(PartitionKey='p',RowKey='r')"} {
			r := f.do("GET", target, "", version, atomAccept).wantStatus(200)
			var document struct {
				Links []struct {
					Title string `xml:"title,attr"`
					HRef  string `xml:"href,attr"`
				} `xml:"link"`
				Name string `xml:"entry>content>properties>TableName"`
			}
			if err := xml.Unmarshal([]byte(r.body), &document); err != nil {
				t.Fatalf("%v in %s", err, r.body)
			}
			link := document.Links[0]
			if target == "/Tables" && document.Name != name || target != "/Tables" && (link.Title != name || "/"+link.HRef != target) {
				t.Errorf("%s: got %+v in %s", target, document, r.body)
			}
		}
	}
}

// TestAnythingIsAtom: a POST that accepts anything is answered in Atom, also in versions
// that refuse Atom by name.
func TestAnythingIsAtom(t *testing.T) {
	f := newFixture(t)
	const anything, entryType = "Accept: */*", "application/atom+xml;type=entry;charset=utf-8"
	const spatial = ` xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml"`
	f.do("POST", "/Tables", `{"TableName":"things"}`, anything).wantStatus(201).wantHeader("Content-Type", entryType).
		wantHeader("Preference-Applied", "").wantParts(`/metadata"`+spatial+`><id>`, "<d:TableName>things</d:TableName>")
	f.do("POST", "/things", `{"PartitionKey":"p","RowKey":"r"}`, anything).wantStatus(201).wantHeader("Content-Type", entryType).
		wantParts(`/metadata"`+spatial+` m:etag="`, "<d:RowKey>r</d:RowKey>")
	f.do("POST", "/things", `{"PartitionKey":"p","RowKey":"s"}`, anything, "DataServiceVersion: 2.0").wantStatus(201).
		wantParts(`/metadata" m:etag="`, "<d:RowKey>s</d:RowKey>")
	f.do("MERGE", "/things(PartitionKey='p',RowKey='q')", `{}`, anything, "If-Match: *").wantStatus(404).
		wantHeader("Content-Type", "application/xml;charset=utf-8").wantParts("<code>ResourceNotFound</code>")
}

func TestAtomErrors(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.do("GET", "/missing", "", atomVersion, atomAccept).wantStatus(404).wantHeader("Content-Type", "application/xml;charset=utf-8").
		wantParts("<code>TableNotFound</code>")
	f.do("POST", "/things", entry(`<d:PartitionKey>p</d:PartitionKey>`), atomVersion, atomAccept, atomContent).wantStatus(400).wantParts("<code>PropertiesNeedValue</code>")
	f.do("POST", "/things", "<entry", atomVersion, atomAccept, atomContent).wantStatus(400).wantParts("<code>InvalidInput</code>")
	f.do("POST", "/things", entry(`<d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey>`), atomAccept, atomContent).wantStatus(415).wantParts("<code>AtomFormatNotSupported</code>")
	f.do("POST", "/things", entry(`<d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey>`), atomContent).wantError(415, "AtomFormatNotSupported", "Atom format is not supported.")
	f.do("POST", "/things", `{}`, "x-ms-version: 2012-02-12", atomAccept).wantStatus(415).wantParts("<code>JsonFormatNotSupported</code>")
	f.do("POST", "/things", `{"PartitionKey":"p","RowKey":"first"}`, "x-ms-version: 2013-08-15").wantStatus(201) // the first version with JSON
}

// TestOldAtom: before 2013-08-15 entries and feeds have one content type and
// another layout, and no answer has X-Content-Type-Options.
func TestOldAtom(t *testing.T) {
	const declaration = `<?xml version="1.0" encoding="utf-8" standalone="yes"?>` + "\r\n"
	f := newFixture(t)
	do := func(method, target, body string, status int) *response {
		r := f.do(method, target, body, "x-ms-version: 2011-08-18", atomAccept, atomContent, "If-Match: *")
		return r.wantStatus(status).wantHeader("X-Content-Type-Options", "")
	}
	for _, c := range []struct {
		method, target, body string
		status               int
		parts                []string
	}{
		{"POST", "/Tables", `<d:TableName>things</d:TableName>`, 201, []string{"<entry ", "\r\n  <title type=\"text\"></title>", "<d:TableName>things<"}},
		{"GET", "/Tables", "", 200, []string{"<feed ", "\r\n  <entry>\r\n    <id>", "<d:TableName>things<"}},
		{"GET", "/things", "", 200, []string{"<feed ", "\r\n  <author>\r\n    <name />\r\n  </author>\r\n  <link "}},
		{"POST", "/things", `<d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey>`, 201, []string{"<entry ", "m:etag=", "<title", "<link ", "<category "}},
		{"GET", "/things", "", 200, []string{"<feed ", "<title", "<id>", "<link rel=\"self\"", "\r\n        <d:PartitionKey>p<"}},
		{"GET", "/things(PartitionKey='p',RowKey='r')", "", 200, []string{"<entry ", "\r\n      <d:PartitionKey>p<"}},
	} {
		do(c.method, c.target, entry(c.body), c.status).wantHeader("Content-Type", "application/atom+xml;charset=utf-8").
			wantParts(append([]string{declaration}, c.parts...)...)
	}
	do("MERGE", "/things(PartitionKey='p',RowKey='r')", entry(""), 204)
	do("DELETE", "/things(PartitionKey='p',RowKey='r')", "", 204)
}

// insertInAtom returns an Atom insert for a batch.
func insertInAtom() string {
	return strings.Join([]string{"Content-Type: application/http", "Content-Transfer-Encoding: binary", "",
		"POST https://" + testHost + "/things HTTP/1.1", "Content-ID: 1", "Content-Type: application/atom+xml;type=entry", "DataServiceVersion: 1.0;NetFx", "",
		entry(`<d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey>`)}, "\r\n")
}

func TestAtomBatch(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	o := insertInAtom()
	r := f.do("POST", "/$batch", changeset(o), atomVersion, atomAccept, "Content-Type: multipart/mixed; boundary=batch_1")
	parts := r.parts()
	if len(parts) != 1 || parts[0].Status != 201 || !strings.Contains(string(parts[0].Body), "<d:RowKey>r</d:RowKey>") {
		t.Errorf("got %s", r.body)
	}
	f.do("POST", "/$batch", changeset(o), atomVersion, atomAccept, "Content-Type: multipart/mixed; boundary=batch_1").
		wantParts("HTTP/1.1 409 Conflict", "Content-Type: application/xml;charset=utf-8", "<code>EntityAlreadyExists</code>")
}

// TestOldAtomBatch: before 2013-08-15 the content type is last before the location.
// Errors have one, unlike those of whole requests: two samples of the reference.
func TestOldAtomBatch(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, want := range []string{
		"HTTP/1.1 201 Created\r\nContent-ID: 1\r\nCache-Control: no-cache\r\nDataServiceVersion: 1.0;\r\nContent-Type: application/atom+xml;charset=utf-8\r\nLocation: ",
		"HTTP/1.1 409 Conflict\r\nContent-ID: 1\r\nCache-Control: no-cache\r\nDataServiceVersion: 1.0;\r\nContent-Type: application/xml\r\n\r\n<?xml ",
	} {
		f.do("POST", "/$batch", changeset(insertInAtom()), "x-ms-version: 2011-08-18", atomAccept, "Content-Type: multipart/mixed; boundary=batch_1").
			wantStatus(202).wantHeader("X-Content-Type-Options", "").wantParts(want)
	}
}

func TestFormatOption(t *testing.T) {
	f := newFixture(t)
	json := regexp.MustCompile(`^application/json;odata=nometadata;`)
	for _, c := range []struct {
		name    string
		headers []string
		json    bool
	}{
		{"takes precedence over Accept", []string{"x-ms-version: 2014-02-14", atomAccept}, true},
		{"in data service version 3", []string{"x-ms-version: 2014-02-14", atomAccept, "MaxDataServiceVersion: 3.0;NetFx", "DataServiceVersion: 1.0"}, true},
		{"not in 2", []string{"x-ms-version: 2014-02-14", atomAccept, "MaxDataServiceVersion: 2.0;NetFx", "DataServiceVersion: 3.0"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			r := f.do("GET", "/Tables?$format=application/json;odata%3Dnometadata", "", c.headers...).wantStatus(200)
			if got := json.MatchString(r.header.Get("Content-Type")); got != c.json {
				t.Errorf("Content-Type %s", r.header.Get("Content-Type"))
			}
		})
	}
}

func TestUpsertBeforeThereWasOne(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	const path = "/things(PartitionKey='p',RowKey='r')"
	f.do("PUT", path, entry(""), "x-ms-version: 2009-09-19", atomAccept, atomContent).wantStatus(400).wantParts("<code>InvalidInput</code>")
	f.do("PUT", path, entry(""), "x-ms-version: 2009-09-19", atomAccept, atomContent, "If-Match: *").wantStatus(404)
}

// TestDataServiceVersionOfParts: before 2013-08-15 it is 1.0, as recorded.
func TestDataServiceVersionOfParts(t *testing.T) {
	for version, want := range map[string]string{"2009-09-19": "1.0;", "2011-08-18": "1.0;", "2014-02-14": "3.0;"} {
		f := newFixture(t)
		f.createTable("things")
		for _, status := range []string{"201 Created", "409 Conflict"} {
			r := f.do("POST", "/$batch", changeset(insertInAtom()), "x-ms-version: "+version, atomAccept, "Content-Type: multipart/mixed; boundary=batch_1")
			if !strings.Contains(r.body, "HTTP/1.1 "+status) || !strings.Contains(r.body, "DataServiceVersion: "+want) {
				t.Errorf("%s: got %s", version, r.body)
			}
		}
	}
}
