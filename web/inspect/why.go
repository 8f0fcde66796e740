package inspect

import (
	"strings"

	"sandtable/web/control"
	"sandtable/web/query"
)

// Refused explains a refused request.
type Refused struct {
	Title string // the reason in a sentence
	Text  string // the details, in the service's or the endpoint's words
	Do    string // what to do about it, "" if nothing is known
	Link  string // to the documentation
	// Token is set if a new shared access signature would help.
	Token bool
}

// advice says what to do about an error, by its code.
var advice = map[string]struct{ title, do, link string }{
	"AuthenticationFailed":                    {"The credentials do not hold.", "Compare the two strings below. If nothing differs, the key is another account's or an old one.", authDocs},
	"InvalidAuthenticationInfo":               {"The Authorization header cannot be read.", "It must be “SharedKey account:signature”, “SharedKeyLite account:signature” or “Bearer token”.", authDocs},
	"NoAuthenticationInformation":             {"The request has no credentials.", "This account is strict: sign with its key, or add a shared access signature.", authDocs},
	"AuthorizationFailure":                    {"These credentials do not reach this operation.", "Use a token for this table, or the account's key.", sasDocs},
	"AuthorizationPermissionMismatch":         {"The token lacks a permission.", "Make a token whose sp has the letter of this operation: r query, a add, u update, d delete.", sasDocs},
	"AuthorizationResourceTypeMismatch":       {"The token is for other kinds of resources.", "Make an account SAS whose srt has s, c and o.", docs + "create-account-sas"},
	"AuthorizationServiceMismatch":            {"The token is for other services.", "Make an account SAS whose ss has t, for tables.", docs + "create-account-sas"},
	"AuthorizationProtocolMismatch":           {"The token is for https only.", "Send the request over https, or make a token with spr=https,http.", sasDocs},
	"AuthorizationSourceIPMismatch":           {"The token is for other addresses.", "Make a token without sip, or with this client's address.", sasDocs},
	"TableNotFound":                           {"There is no such table.", "Create the table first. Names ignore case, but not spelling.", docs + "create-table"},
	"ResourceNotFound":                        {"There is nothing with these keys.", "Check PartitionKey and RowKey: they are case-sensitive, and blanks count.", filterDocs},
	"TableAlreadyExists":                      {"The table exists already.", "Use it as it is: clients usually ignore this error (createTable in the SDKs does).", docs + "create-table"},
	"EntityAlreadyExists":                     {"An entity with these keys exists already.", "Insert under another RowKey, or use Insert Or Replace (upsert) to overwrite.", docs + "insert-or-replace-entity"},
	"UpdateConditionNotSatisfied":             {"The entity has changed since it was read.", "Read it again, apply the change to what is there now, and send its new ETag in If-Match.", updateDocs},
	"ConditionNotMet":                         {"The condition of the request is not met.", "Read the entity again and send its new ETag in If-Match.", updateDocs},
	"TableBeingDeleted":                       {"The table is still being deleted.", "Try again in half a minute, or use another name.", docs + "delete-table"},
	"EntityTooLarge":                          {"The entity is larger than 1 MiB.", "Store less in it; put large values into blobs or several entities.", modelDocs},
	"PropertyValueTooLarge":                   {"A value is too long.", "A key has at most 1,024 UTF-16 code units, another string 32,768, a binary 65,536 bytes.", modelDocs},
	"TooManyProperties":                       {"The entity has too many properties.", "An entity has at most 252 properties besides its keys and Timestamp.", modelDocs},
	"PropertiesNeedValue":                     {"A required value is missing.", "Send PartitionKey and RowKey as strings; the empty string is permitted, null is not.", modelDocs},
	"KeyValueTooLarge":                        {"A key is too long.", "PartitionKey and RowKey have at most 1,024 UTF-16 code units each.", modelDocs},
	"InvalidDuplicateRow":                     {"Two operations of the batch are about the same entity.", "Put each entity into a batch only once.", batchDocs},
	"CommandsInBatchActOnDifferentPartitions": {"The operations are in different partitions.", "A batch is about one table and one partition: make one batch per PartitionKey.", batchDocs},
	"MediaTypeNotSupported":                   {"The format of the body is not supported.", "Send Content-Type: application/json.", payloadDocs},
	"JsonFormatNotSupported":                  {"This version has no JSON.", "Ask for x-ms-version 2013-08-15 or later.", versionDocs},
	"InvalidResourceName":                     {"The name is not permitted.", "A table's name has 3 to 63 letters and digits and begins with a letter.", modelDocs},
	"OutOfRangeInput":                         {"A value is out of range.", "Check lengths and ranges: keys, dates from 1601, numbers of their type.", modelDocs},
	"RequestBodyTooLarge":                     {"The body is larger than 4 MiB.", "Send fewer or smaller operations.", batchDocs},
	"ServerBusy":                              {"The endpoint is busy.", "Wait for Retry-After, then send it again. The SDKs do that by themselves.", errorDocs},
	"OperationTimedOut":                       {"The operation took too long.", "Send it again; for a query, give a PartitionKey so that less is read.", pagingDocs},
	"NotImplemented":                          {"The service does not have this.", "See docs/compatibility for what is supported.", filterDocs},
	"XMethodNotUsingPost":                     {"X-HTTP-Method needs POST.", "Send the request as POST, or with the method itself.", docs + "merge-entity"},
	"InvalidInput":                            {"The request cannot be read.", "", filterDocs},
}

// Why explains why a request was refused.
func Why(d control.RecordedDetail) Refused {
	known := advice[d.Code]
	r := Refused{Title: known.title, Text: detail(d), Do: known.do, Link: known.link}
	if r.Title == "" {
		r.Title, r.Link = strings.TrimSpace("The request was refused. "+d.Code), errorDocs
	}
	c := CallOf(d)
	r.Token = d.Status == 403 && c.Option("sv") != ""
	switch {
	case d.Signed != "":
		r.Title, r.Text = sentence(reasonText(d.Reason)), ""
		r.Do = "Sign the string on the right. It is what the service signs."
	case d.StringToSign != "":
		r.Title, r.Text = "The signature is not that of this request.", "No common mistake explains it, so the key is probably wrong."
		r.Do = "Check that the key is this account's and was not regenerated, and that the string below is what the client signs."
	case d.Status == 412:
		return stale(r, c)
	case d.Status == 400:
		return malformed(r, c)
	}
	return r
}

// malformed says what is wrong with the filter of a refused request, if that is why.
func malformed(r Refused, c Call) Refused {
	p := query.Diagnose(c.Option("$filter"))
	if p == nil {
		return r
	}
	r.Title, r.Do = "The filter has an error.", ""
	if p.Text != "" {
		r.Title = p.Where() + " of the filter: " + p.Text
	}
	if p.Meant != "" {
		r.Do = "Write " + p.Meant + " there."
	}
	return r
}

// stale says which ETag a failed condition expected.
func stale(r Refused, c Call) Refused {
	if tag := c.Header.Get("If-Match"); tag != "" {
		r.Text = "The request expected the ETag " + tag + "."
	}
	return r
}

// detail is what is known beyond the code: the endpoint's reason, which it does
// not send to the client, or the service's message.
func detail(d control.RecordedDetail) string {
	message := ""
	if d.ResponseBody != nil {
		message = messageOf([]byte(*d.ResponseBody))
	}
	if d.Reason != "" && d.Status == 403 || message == "" {
		return sentence(reasonText(d.Reason))
	}
	return message
}

// reasonText cuts the general error off a reason, as in "authentication failed:
// the date is …".
func reasonText(reason string) string {
	if general, text, ok := strings.Cut(reason, ": "); ok && !strings.Contains(general, `"`) {
		return text
	}
	return reason
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
