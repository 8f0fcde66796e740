package server_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandtable/server/auth"
)

// These tests cover responses that were first built from documentation or fewer
// recordings and corrected by later ones.

// TestPreferOnUpdates: Prefer applies to PUT and MERGE as it does to inserts.
func TestPreferOnUpdates(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	const path, prefer = "/things(PartitionKey='p',RowKey='r')", "Prefer: return-no-content"
	f.do("PUT", path, "{}", prefer).wantStatus(204).wantHeader("Preference-Applied", "return-no-content")
	f.do("MERGE", path, "{}", prefer, "If-Match: *").wantStatus(204).wantHeader("Preference-Applied", "return-no-content")
	f.do("MERGE", path, "{}", "Prefer: return-content").wantStatus(204).wantHeader("Preference-Applied", "")
	f.do("MERGE", path, "{}", prefer, "MaxDataServiceVersion: 2.0;NetFx").wantStatus(204).wantHeader("Preference-Applied", "")
	f.do("PUT", path, "{}", prefer, `If-Match: W/"datetime''old''"`).wantError(412, "ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met.").
		wantHeader("Preference-Applied", "")
	f.do("DELETE", path, "", prefer, "If-Match: *").wantStatus(204).wantHeader("Preference-Applied", "")
	parts := f.batch(
		part("PUT", path, "{}", "prefer: return-no-content"),
		part("PUT", strings.Replace(path, "'r'", "'s'", 1), "{}"),
	).parts()
	for i, want := range []string{"return-no-content 3.0;", " 1.0;"} {
		if got := parts[i].Header.Get("Preference-Applied") + " " + parts[i].Header.Get("DataServiceVersion"); got != want {
			t.Errorf("part %d: %q, want %q", i, got, want)
		}
	}
	if got := f.batch(part("DELETE", path, "", "prefer: return-no-content", "If-Match: *")).parts()[0]; got.Header.Get("Preference-Applied") != "" || got.Header.Get("DataServiceVersion") != "1.0;" {
		t.Errorf("DELETE: %v", got.Header)
	}
}

// TestDataServiceVersionIsCapped: a batch's outer headers limit its parts' version.
func TestDataServiceVersionIsCapped(t *testing.T) {
	for _, c := range []struct{ header, want string }{
		{"MaxDataServiceVersion: 2.0;NetFx", "2.0;"}, {"DataServiceVersion: 1.0;NetFx", "1.0;"}, {"MaxDataServiceVersion: 3.0", "3.0;"}, {"MaxDataServiceVersion: 9", "3.0;"},
	} {
		f := newFixture(t)
		f.createTable("things")
		r := f.do("POST", "/$batch", changeset(insertInAtom()), atomVersion, atomAccept, c.header, "Content-Type: multipart/mixed; boundary=batch_1")
		if got := r.parts()[0].Header.Get("DataServiceVersion"); got != c.want {
			t.Errorf("%s: %s, want %s", c.header, got, c.want)
		}
	}
}

// TestFailedPartHasContextOfLast: only the text names the operation that failed.
func TestFailedPartHasContextOfLast(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"taken"}`)
	got := f.batch(
		part("POST", "/things", `{"PartitionKey":"p","RowKey":"taken"}`, "Content-ID: 7"),
		part("PUT", "/things(PartitionKey='p',RowKey='r')", "{}", "Content-ID: 8", "prefer: return-no-content"),
	).wantFailure(409, "EntityAlreadyExists", "0:The specified entity already exists.").Header
	if fields := got.Get("Content-ID") + " " + got.Get("Preference-Applied") + " " + got.Get("DataServiceVersion"); fields != "8 return-no-content 3.0;" {
		t.Errorf("header %q", fields)
	}
	t.Run("in Atom", func(t *testing.T) {
		f := newFixture(t)
		f.createTable("things")
		put := strings.Replace(strings.Replace(insertInAtom(), "POST ", "PUT ", 1), "/things HTTP", "/things(PartitionKey='p',RowKey='q') HTTP", 1)
		put = strings.Replace(put, "Content-ID: 1", "Content-ID: 2\r\nIf-Match: *", 1)
		r := f.do("POST", "/$batch", changeset(insertInAtom(), put), atomVersion, atomAccept, "Content-Type: multipart/mixed; boundary=batch_1")
		r.wantParts("HTTP/1.1 404 Not Found", "Content-ID: 2", "DataServiceVersion: 1.0;", "1:The specified resource does not exist.")
	})
}

// TestTooManyOperationsInContext: the error looks like a failed execution.
func TestTooManyOperationsInContext(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	var operations []string
	for i := range 101 {
		operations = append(operations, insertPart("things", fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%d"}`, i)))
	}
	h := f.batch(operations...).parts()[0].Header
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache", "Preference-Applied": "return-no-content",
		"DataServiceVersion": "3.0;", "Content-Type": fullJSON,
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestTooManyOperationsByVersion: the error has a text of its own from 2016-05-31 on.
func TestTooManyOperationsByVersion(t *testing.T) {
	operations := make([]string, 101)
	for i := range operations {
		operations[i] = insertPart("things", fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%d"}`, i))
	}
	for version, want := range map[string]string{
		"2015-12-11": "99:One of the request inputs is not valid.",
		"2016-05-31": "99:The batch request operation exceeds the maximum 100 changes per change set.",
	} {
		f := newFixture(t)
		f.createTable("things")
		r := f.do("POST", "/$batch", changeset(operations...), "Content-Type: multipart/mixed; boundary=batch_1", "x-ms-version: "+version)
		r.wantFailure(400, "InvalidInput", want)
	}
}

// TestInvalidInputByVersion: it says what is wrong from 2016-05-31 on.
func TestInvalidInputByVersion(t *testing.T) {
	const types = "A binary operator with incompatible types was detected. Found operand types 'Edm.String' and 'Edm.Boolean' for operator kind 'And'."
	for version, want := range map[string]string{"2015-12-11": textInputs, "2016-05-31": types} {
		f := newFixture(t)
		f.createTable("things")
		f.do("GET", "/things()?$filter=(PartitionKey)%20and%20(RowKey%20ge%20'5')", "", "x-ms-version: "+version).wantError(400, "InvalidInput", want)
	}
	f := newFixture(t)
	f.createTable("things")
	r := f.do("POST", "/things", `<entry><content type="application/xml"><m:properties><d:1>a</d:1>`, atomVersion, atomAccept, atomContent)
	r.wantStatus(400).wantParts("InvalidInput", textInputs)
}

// TestNotAllowedByVersion: what a SAS does not allow was not there before 2015-04-05.
func TestNotAllowedByVersion(t *testing.T) {
	for version, want := range map[string]int{"2014-02-14": 404, "2015-04-05": 403} {
		f := newFixture(t)
		f.createTable("things")
		sas := "?" + signedTableSAS("things", "r", version, f.now.Add(time.Hour))
		for _, r := range []*response{
			f.do("POST", "/things"+sas, `{"PartitionKey":"p","RowKey":"r"}`, "x-ms-version: "+version),
			f.do("GET", "/Tables"+sas, "", "x-ms-version: "+version),
		} {
			if r.status != want {
				t.Errorf("%s: status %d, want %d: %s", version, r.status, want, r.body)
			}
		}
	}
}

// TestVersionInResponses: the answer repeats the request's version from 2009-09-19 on.
func TestVersionInResponses(t *testing.T) {
	f := newFixture(t)
	for version, want := range map[string]string{"2009-04-14": "", "2009-09-19": "2009-09-19"} {
		f.do("GET", "/Tables", "", "Accept: application/atom+xml", "x-ms-version: "+version).wantStatus(200).wantHeader("x-ms-version", want)
	}
}

// TestETagByVersion: minimal metadata has odata.etag from 2015-04-05 on.
func TestETagByVersion(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	for version, want := range map[string]bool{"2014-02-14": false, "2015-02-21": false, "2015-04-05": true} {
		for _, target := range []string{"/things", "/things(PartitionKey='p',RowKey='r')"} {
			if got := strings.Contains(f.do("GET", target, "", "x-ms-version: "+version).wantStatus(200).body, "odata.etag"); got != want {
				t.Errorf("%s of %s: odata.etag %v, want %v", version, target, got, want)
			}
		}
		full := f.do("GET", "/things", "", "x-ms-version: "+version, "Accept: application/json;odata=fullmetadata")
		if !strings.Contains(full.body, "odata.etag") {
			t.Errorf("%s: no odata.etag at full metadata", version)
		}
	}
}

// TestDuplicateRowByVersion: the error has its own code from 2016-05-31 on.
func TestDuplicateRowByVersion(t *testing.T) {
	insert := insertPart("things", `{"PartitionKey":"p","RowKey":"r"}`)
	for version, want := range map[string]string{"2014-02-14": "InvalidInput", "2015-12-11": "InvalidInput", "2016-05-31": "InvalidDuplicateRow"} {
		f := newFixture(t)
		f.createTable("things")
		r := f.do("POST", "/$batch", changeset(insert, insert), "Content-Type: multipart/mixed; boundary=batch_1", "x-ms-version: "+version)
		text := "1:One of the request inputs is not valid."
		if want == "InvalidDuplicateRow" {
			text = "1:The batch request contains multiple changes with same row key. An entity can appear only once in a batch request."
		}
		if h := r.wantFailure(400, want, text).Header; h.Get("Cache-Control") != "no-cache" || h.Get("Preference-Applied") != "return-no-content" {
			t.Errorf("%s: header %v", version, h)
		}
	}
}

func TestSASOfAnotherTable(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.createTable("others")
	sas := entitySAS("others", "ra", f.now.Add(time.Hour))
	const text = "This request is not authorized to perform this operation."
	f.do("GET", "/things?"+sas, "").wantError(403, "AuthorizationFailure", text)
	f.do("POST", "/things?"+sas, `{"PartitionKey":"p","RowKey":"r"}`).wantError(403, "AuthorizationFailure", text)
}

// TestPlainContinuation: a value that is not a token is used as a start key.
func TestPlainContinuation(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"aaa", "bbb", "ccc"} {
		f.createTable(name)
		f.insert("aaa", `{"PartitionKey":"`+name+`","RowKey":"`+name+`"}`)
	}
	for _, start := range []string{"bbb", "BBB", "b", "aab!1!x"} {
		f.do("GET", "/Tables?NextTableName="+start, "", "Accept: application/json;odata=nometadata").
			wantBody(`{"value":[{"TableName":"bbb"},{"TableName":"ccc"}]}`)
	}
	for query, want := range map[string]string{
		"NextPartitionKey=bbb": "bbb ccc", "NextPartitionKey=bbb&NextRowKey=c": "ccc", "NextPartitionKey=1!5!MQ--": "aaa bbb ccc", "NextPartitionKey=x": "",
		"NextRowKey=bbb": "aaa bbb ccc",
	} {
		if got := f.do("GET", "/aaa?"+query, "").rowKeys(); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestSelectInMetadata: odata.metadata shows $select as in a URI.
func TestSelectInMetadata(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for sent, shown := range map[string]string{"a,%20b": "a,%20b", "a%2Cb": "a,b", "a,b": "a,b", "*": "*", "": "", "%C3%A9": "%C3%A9"} {
		f.do("GET", "/things?$select="+sent, "").wantBody(`{"odata.metadata":"https://` + testHost + `/$metadata#things&$select=` + shown + `","value":[]}`)
	}
}

func TestSetTableACLByAccept(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, c := range []struct {
		accept, version string
		status          int
	}{
		{"*/*", "2019-07-07", 415},
		{"application/xml", "2019-07-07", 204},
		{"", "2019-07-07", 204},
		{"*/*", "2012-02-12", 204}, // the SDK for Ruby
	} {
		for _, body := range []string{"", "<SignedIdentifiers />"} {
			r := f.do("PUT", "/things?comp=acl", body, "Accept: "+c.accept, "x-ms-version: "+c.version).wantStatus(c.status)
			if c.status == 415 {
				r.wantHeader("Content-Type", "application/xml").wantHeader("x-ms-error-code", "MediaTypeNotSupported").
					wantParts("<m:code>MediaTypeNotSupported</m:code>", "None of the provided media types are supported\nRequestId:")
			}
		}
	}
	f.do("PUT", "/things?comp=acl", "", "Accept: */*", "x-ms-version: 2015-12-11").wantStatus(415) // the first such version
}

// TestEmptyComponent: an operation on entities or tables stays one with an empty comp.
func TestEmptyComponent(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, target := range []string{"/things?comp=", "/Tables?comp="} {
		f.do("GET", target, "").wantStatus(200)
		f.do("GET", target, "", "Accept: application/atom+xml").wantStatus(415)
		f.do("PUT", target, "").wantError(405, "MethodNotAllowed", "The requested method is not allowed on the specified resource.")
	}
}

// TestVersionOfAnswer: a response names the version that applied to the request.
func TestVersionOfAnswer(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	sas := auth.AccountSAS(testAccount, testKey, f.now.Add(time.Hour))
	old := signedTableSAS("things", "r", "2012-02-12", f.now.Add(time.Hour))
	for _, c := range []struct{ name, query, header, want string }{
		{"header", "", "2017-04-17", "2017-04-17"},
		{"nothing", "", "", ""},
		{"header of a SAS", sas, "2017-04-17", "2017-04-17"},
		{"sv", sas, "", "2019-02-02"},
		{"api-version before the header", sas + "&api-version=2018-03-28", "2017-04-17", "2018-03-28"},
		{"sv of an old SAS before both", old + "&api-version=2018-03-28", "2017-04-17", "2012-02-12"},
		{"api-version without a SAS", "api-version=2018-03-28", "2017-04-17", "2017-04-17"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{T: t, handler: f.handler}
			f.do("GET", "/things?"+c.query, "", "x-ms-version: "+c.header, atomAccept+",application/json").wantHeader("x-ms-version", c.want)
		})
	}
}

// TestNullInFilter: the service refuses it when it runs the query, and so with the
// headers of an answer.
func TestNullInFilter(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for _, filter := range []string{"Token%20eq%20null", "PartitionKey%20eq%20'p'%20and%20null%20ne%20Token"} {
		f.do("GET", "/things()?$filter="+filter, "").wantError(400, "InvalidInput", textInputs).wantHeader("Cache-Control", "no-cache")
	}
	f.do("GET", "/things()?$filter=1", "").wantStatus(400).wantHeader("Cache-Control", "")
}

// TestDeleteWithoutIfMatch: the header is mandatory, but for Cosmos DB.
func TestDeleteWithoutIfMatch(t *testing.T) {
	const entity = "/things(PartitionKey='p',RowKey='r')"
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	f.do("DELETE", entity, "").wantError(400, "InvalidInput", textInputs)
	f.batch(part("DELETE", entity, "")).wantFailure(400, "InvalidInput", "0:"+textInputs)
	f.do("DELETE", entity, "", "Accept: */*").wantStatus(400).wantParts("<code>InvalidInput</code>", ">"+textInputs)
	f.cosmos("DELETE", entity, "", "Accept: */*").wantStatus(204)
	f.cosmos("DELETE", entity, "").wantStatus(404)
}

// TestPartThatIsNoOperation: for a transaction without operations some SDKs send an
// empty part. Nothing says what its sender accepts, so its error is XML.
func TestPartThatIsNoOperation(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	const want = "--batchresponse_ID\r\nContent-Type: multipart/mixed; boundary=changesetresponse_ID\r\n\r\n" +
		"--changesetresponse_ID\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
		"HTTP/1.1 400 Bad Request\r\nDataServiceVersion: 1.0;\r\nContent-Type: application/xml;charset=utf-8\r\n\r\n" +
		`<?xml version="1.0" encoding="utf-8"?><error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">` +
		`<code>InvalidInput</code><message xml:lang="en-US">An error occurred while processing this request.` + "\nRequestId:ID\nTime:TIME</message></error>\r\n" +
		"--changesetresponse_ID--\r\n--batchresponse_ID--\r\n"
	for _, operations := range [][]string{{""}, {insertPart("things", `{"PartitionKey":"p","RowKey":"1"}`), "no: operation\r\n\r\n"}} {
		r := f.batch(operations...).wantStatus(202).wantHeader("Cache-Control", "no-cache")
		got := regexp.MustCompile("Time:[^<]+").ReplaceAllString(guid.ReplaceAllString(r.body, "ID"), "Time:TIME")
		if got != want {
			t.Errorf("got\n%q, want\n%q", got, want)
		}
	}
	f.do("GET", "/things(PartitionKey='p',RowKey='1')", "").wantStatus(404)
	f.batch().wantStatus(202).wantParts("--changesetresponse_")
}
