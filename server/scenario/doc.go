// Package scenario plays requests to a Table endpoint and checks the answers.
// The scenarios are text files in testdata; the server's tests run them against
// the handler, and "sandtable compare" runs them against two endpoints and
// prints where they differ. They state what the reference documents and what was
// observed of the real service, in our own tables and words.
//
// # Format
//
//	// a comment
//	== a title, one line: a scenario begins, with tables of its own
//	table Fruit
//	>>>
//	POST /{Fruit}
//	Content-Type: application/json
//
//	{"PartitionKey":"p","RowKey":"1"}
//	<<<
//	201
//	ETag: {etag=any}
//	!Preference-Applied
//
//	{"odata.metadata":"{endpoint}/$metadata#{Fruit}/@Element", …}
//
// "table NAME" creates a table and "insert NAME JSON" an entity before the
// exchanges. A request is a method and a path below the endpoint, headers, an
// empty line and a body. It is signed with Shared Key and has today's x-ms-date
// and x-ms-version 2019-02-02 unless it says otherwise: "!Name" leaves a header
// out, "Auth: SharedKeyLite", "Auth: none", "Auth: wrong" (a signature by another
// key) and "Auth: sas sp=r&…" (the parameters of a SAS to be signed, of a table if they
// have tn, else of the account) choose another authorization.
//
// An answer is a status, headers that must be there, headers that must not be
// ("!Name"), and a body. Without a body section the body must be empty. "error CODE
// message" stands for the service's error document in JSON or XML, with
// Cache-Control: no-cache, and "refused CODE message" for one without it: that of a
// request that the service refuses before it carries it out. JSON is compared without
// regard to the order of members, all else as text; line ends are LF in files, and
// CRLF in requests of a multipart type.
//
// In a body, lines between "{repeat N}" and "{end}" stand N times, {i} is the number of the
// repetition from 0, and {x*N} is N times the character x.
//
// In both, {endpoint}, {account} and {host} are those of the endpoint, {Fruit} is the real name
// of a table, and {name} a value captured before. In answers {any} matches
// anything, {time} a timestamp, and {name=any} captures what it matches.
package scenario
