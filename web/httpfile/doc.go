// Package httpfile reads files of HTTP requests, as people write them to try a
// service: a line with method and URL, headers, an empty line, and a body.
// Requests are separated by lines that begin with ###, whose rest is a title.
//
//	### The orders of one month
//	GET https://playground.table.core.windows.net/Orders()
//	    ?$filter=PartitionKey eq '2026-11'
//	    &$top=50
//	Accept: application/json;odata=nometadata
//
// The URL continues over lines that begin with ? or &; it is written without
// escapes and escaped when it is sent. A + stays: in a query the service reads it as
// a space, and a plus is written %2B. A version such as HTTP/1.1 after it is left
// out. Lines before the body that begin with # or // are comments. The package sends
// nothing.
package httpfile
