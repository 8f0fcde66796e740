package server_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestCreateTable(t *testing.T) {
	const location = "https://" + testHost + "/Tables('Customers')"
	for _, c := range []struct {
		name, prefer, accept string
		status               int
		body                 string
	}{
		{"without Prefer", "", "", 201, `{"odata.metadata":"https://` + testHost + `/$metadata#Tables/@Element","TableName":"Customers"}`},
		{"content", "return-content", "", 201, `{"odata.metadata":"https://` + testHost + `/$metadata#Tables/@Element","TableName":"Customers"}`},
		{"no metadata", "", "application/json;odata=nometadata", 201, `{"TableName":"Customers"}`},
		{"no content", "return-no-content", "", 204, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			headers := []string{"Prefer: " + c.prefer}
			if c.accept != "" {
				headers = append(headers, "Accept: "+c.accept)
			}
			r := f.do("POST", "/Tables", `{"TableName":"Customers"}`, headers...)
			r.wantStatus(c.status).wantBody(c.body)
			r.wantHeader("Location", location).wantHeader("Preference-Applied", c.prefer).wantHeader("ETag", "")
			if c.status == 204 {
				r.wantHeader("DataServiceId", location).wantHeader("Content-Type", "")
			} else {
				r.wantHeader("DataServiceId", "")
			}
			f.do("GET", "/Tables('customers')", "").wantStatus(200)
		})
	}
}

func TestCreateTableRefused(t *testing.T) {
	for _, c := range []struct {
		name, body    string
		status        int
		code, message string
	}{
		{"taken, in another case", `{"TableName":"TAKEN"}`, 409, "TableAlreadyExists", "The table specified already exists."},
		{"an underscore", `{"TableName":"a_table"}`, 400, "InvalidResourceName", "The specifed resource name contains invalid characters."},
		{"not ASCII", `{"TableName":"啊齄丂狛狜"}`, 400, "InvalidResourceName", "The specifed resource name contains invalid characters."},
		{"a leading digit", `{"TableName":"1table"}`, 400, "InvalidResourceName", "The specifed resource name contains invalid characters."},
		{"two characters", `{"TableName":"ab"}`, 400, "OutOfRangeInput", "The specified resource name length is not within the permissible limits."},
		{"64 characters", `{"TableName":"` + strings.Repeat("a", 64) + `"}`, 400, "OutOfRangeInput", "The specified resource name length is not within the permissible limits."},
		{"reserved", `{"TableName":"TABLES"}`, 400, "InvalidInput", "One of the request inputs is not valid."},
		{"no name", `{}`, 400, "PropertiesNeedValue", "The values are not specified for all properties in the entity."},
		{"a number", `{"TableName":5}`, 400, "InvalidInput", "One of the request inputs is not valid."},
		{"malformed", `{"TableName":`, 400, "InvalidInput", "An error occurred while processing this request."},
		{"empty", ``, 415, "MediaTypeNotSupported", "None of the provided media types are supported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("taken")
			r := f.do("POST", "/Tables", c.body, "Prefer: return-no-content")
			r.wantError(c.status, c.code, c.message)
			f.do("GET", "/Tables", "", "Accept: application/json;odata=nometadata").wantBody(`{"value":[{"TableName":"taken"}]}`)
		})
	}
}

func TestTableNamesAtTheirLimits(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"abc", strings.Repeat("A", 63)} {
		f.createTable(name)
		f.do("GET", "/Tables('"+strings.ToLower(name)+"')", "", "Accept: application/json;odata=nometadata").
			wantStatus(200).wantBody(`{"TableName":"` + name + `"}`)
	}
}

func TestDeleteTable(t *testing.T) {
	f := newFixture(t)
	f.createTable("Customers")
	f.insert("Customers", `{"PartitionKey":"p","RowKey":"r"}`)
	f.do("DELETE", "/Tables('customers')", "").wantStatus(204).wantBody("").wantHeader("Content-Type", "")
	const text = "The specified resource does not exist."
	f.do("DELETE", "/Tables('Customers')", "").wantError(404, "ResourceNotFound", text).wantHeader("Cache-Control", "no-cache")
	f.do("GET", "/Tables('Customers')", "").wantError(404, "ResourceNotFound", text)
	f.do("GET", "/Customers()", "").wantError(404, "TableNotFound", "The table specified does not exist.")
	f.createTable("Customers")
	f.do("GET", "/Customers()", "", "Accept: application/json;odata=nometadata").wantBody(`{"value":[]}`)
}

func TestQueryTables(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"banana", "Apple", "cherry", "apricot"} {
		f.createTable(name)
	}
	for _, c := range []struct{ name, query, want string }{
		{"by name in any case", "", "Apple apricot banana cherry"},
		{"one", "$filter=" + url.QueryEscape("TableName eq 'banana'"), "banana"},
		{"a prefix", "$filter=" + url.QueryEscape("(TableName ge 'a') and (TableName lt 'a{')"), "apricot"},
		{"empty filter", "$filter=", "Apple apricot banana cherry"},
		{"top", "$top=2", "Apple apricot"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := f.do("GET", "/Tables?"+c.query, "").wantStatus(200)
			if got := tableNames(r); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func tableNames(r *response) string {
	var names []string
	for _, table := range r.members()["value"].([]any) {
		names = append(names, table.(map[string]any)["TableName"].(string))
	}
	return strings.Join(names, " ")
}

func TestQueryTablesPages(t *testing.T) {
	f := newFixture(t)
	for i := range 5 {
		f.createTable(fmt.Sprintf("Table%d", i))
	}
	for top, want := range map[int]string{1: "1 1 1 1 1", 2: "2 2 1", 5: "5", 1000: "5"} {
		t.Run(fmt.Sprint("top ", top), func(t *testing.T) {
			var pages []string
			next := ""
			for {
				query := fmt.Sprintf("/Tables?$top=%d", top)
				if next != "" {
					query += "&NextTableName=" + url.QueryEscape(next)
				}
				r := f.do("GET", query, "").wantStatus(200)
				pages = append(pages, fmt.Sprint(len(r.members()["value"].([]any))))
				if next = r.header.Get("x-ms-continuation-NextTableName"); next == "" {
					break
				}
			}
			if got := strings.Join(pages, " "); got != want {
				t.Errorf("pages of %s, want %s", got, want)
			}
		})
	}
}

func TestQueryTablesRefused(t *testing.T) {
	for _, c := range []struct {
		name, query   string
		status        int
		code, message string
	}{
		{"another property", "$filter=name+eq+'x'", 500, "InternalError", "Server encountered an internal error. Please try again after some time."},
		{"a function", "$filter=startswith(TableName,'x')", 501, "NotImplemented", "The requested operation is not implemented on the specified resource."},
		{"top below 0", "$top=-2", 400, "InvalidInput", "One of the request inputs is not valid."},
		{"top above 1000", "$top=1001", 400, "InvalidInput", "One of the request inputs is not valid."},
		{"top no number", "$top=x", 400, "InvalidInput", "One of the request inputs is not valid."},
		{"an unknown option", "$orderby=TableName", 501, "NotImplemented", "The requested operation is not implemented on the specified resource."},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.do("GET", "/Tables?"+c.query, "").wantError(c.status, c.code, c.message)
		})
	}
}

// TestRecordOfANewTable: a request that creates a table is about it.
func TestRecordOfANewTable(t *testing.T) {
	f := newFixture(t)
	for _, status := range []int{201, 409} {
		f.do("POST", "/Tables", `{"TableName":"Orders"}`).wantStatus(status)
		if got := f.lastRecord().Table; got != "Orders" {
			t.Errorf("with %d the record is about the table %q", status, got)
		}
	}
}
