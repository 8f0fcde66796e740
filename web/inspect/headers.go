package inspect

import (
	"strings"

	"sandtable/web/client"
)

// HeaderNote explains a header.
type HeaderNote struct {
	Text string
	Link string // to the documentation; "" if there is none
}

// The pages of the service's reference that notes link to.
const (
	docs        = "https://learn.microsoft.com/rest/api/storageservices/"
	headersDocs = docs + "common-rest-api-request-headers"
	payloadDocs = docs + "payload-format-for-table-service-operations"
	versionDocs = docs + "versioning-for-the-azure-storage-services"
	authDocs    = docs + "authorize-with-shared-key"
	pagingDocs  = docs + "query-timeout-and-pagination"
	insertDocs  = docs + "insert-entity"
	updateDocs  = docs + "update-entity2"
	batchDocs   = docs + "performing-entity-group-transactions"
	filterDocs  = docs + "querying-tables-and-entities"
	modelDocs   = docs + "understanding-the-table-service-data-model"
	sasDocs     = docs + "create-service-sas"
	errorDocs   = docs + "table-service-error-codes"
	corsDocs    = docs + "cross-origin-resource-sharing--cors--support-for-the-azure-storage-services"
	httpDocs    = "https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/"
)

// notes explain headers by their names in lower case.
var notes = map[string]HeaderNote{
	"accept":                             {"The format of the answer. odata=nometadata, minimalmetadata or fullmetadata says how many types and links it has.", payloadDocs},
	"authorization":                      {"Who sends the request. The signature is not recorded.", authDocs},
	"content-id":                         {"The number of an operation in a batch.", batchDocs},
	"content-length":                     {"The length of the body in bytes.", httpDocs + "Content-Length"},
	"content-md5":                        {"A checksum of the body. Shared Key signs it.", authDocs},
	"content-type":                       {"The format of the body. Shared Key signs it as it was sent.", payloadDocs},
	"dataserviceversion":                 {"The version of OData that the body follows.", headersDocs},
	"maxdataserviceversion":              {"The highest version of OData that the client understands.", headersDocs},
	"mindataserviceversion":              {"The lowest version of OData that the client understands.", headersDocs},
	"date":                               {"When the request was sent. Shared Key signs it if there is no x-ms-date.", authDocs},
	"x-ms-date":                          {"When the request was sent. Shared Key signs it; it may be 15 minutes off.", authDocs},
	"etag":                               {"The version of the entity. It changes with every write; send it back in If-Match.", updateDocs},
	"if-match":                           {"Write only if the entity still has this ETag; * stands for any. Without it, the operation inserts or overwrites.", updateDocs},
	"if-none-match":                      {"Answer only if the ETag is another one.", docs + "specifying-conditional-headers-for-blob-service-operations"},
	"location":                           {"The address of what was created.", insertDocs},
	"dataserviceid":                      {"The address of the entity that was created.", insertDocs},
	"prefer":                             {"Whether the answer to an insert repeats the entity (return-content) or not (return-no-content).", insertDocs},
	"preference-applied":                 {"How the endpoint followed Prefer.", insertDocs},
	"user-agent":                         {"The client, and its version.", httpDocs + "User-Agent"},
	"x-ms-useragent":                     {"The client, where a browser does not let it set User-Agent.", headersDocs},
	"x-http-method":                      {"The method that is meant, for clients that can only POST.", docs + "merge-entity"},
	"x-ms-version":                       {"The version of the service that the client asks for. It decides formats and permitted credentials.", versionDocs},
	"x-ms-request-id":                    {"The endpoint's own name for this request.", headersDocs},
	"x-ms-client-request-id":             {"The client's own name for this request, for its logs.", headersDocs},
	"x-ms-return-client-request-id":      {"Whether the answer repeats x-ms-client-request-id.", headersDocs},
	"x-ms-continuation-nextpartitionkey": {"There is more: send it back as NextPartitionKey for the next page.", pagingDocs},
	"x-ms-continuation-nextrowkey":       {"There is more: send it back as NextRowKey for the next page.", pagingDocs},
	"x-ms-continuation-nexttablename":    {"There is more: send it back as NextTableName for the next page.", pagingDocs},
	"x-ms-error-code":                    {"The service's code for the error.", errorDocs},
	"x-content-type-options":             {"nosniff: a browser must not guess another format.", httpDocs + "X-Content-Type-Options"},
	"cache-control":                      {"Whether the answer may be stored.", httpDocs + "Cache-Control"},
	"origin":                             {"The site whose script sent the request.", corsDocs},
	"access-control-allow-origin":        {"The site that may read the answer.", corsDocs},
	"access-control-expose-headers":      {"The headers that the site's script may read.", corsDocs},
	"access-control-request-method":      {"The method that a script is going to use.", corsDocs},
	"access-control-request-headers":     {"The headers that a script is going to send.", corsDocs},
	"sec-fetch-site":                     {"Whether the request comes from the same site. The browser sets it; scripts cannot.", httpDocs + "Sec-Fetch-Site"},
	"sec-fetch-mode":                     {"How the browser makes the request. Scripts cannot set it.", httpDocs + "Sec-Fetch-Mode"},
	"sec-fetch-dest":                     {"What the browser uses the answer for. Scripts cannot set it.", httpDocs + "Sec-Fetch-Dest"},
	"x-sandtable-explain":                {"Sandtable's own: how the query was answered. Azure does not send it.", ""},
	"retry-after":                        {"How many seconds to wait before trying again.", httpDocs + "Retry-After"},
}

// NoteOn explains a header, by its name in any case.
func NoteOn(name string) HeaderNote { return notes[strings.ToLower(name)] }

// optionNotes explain parameters of the query.
var optionNotes = map[string]HeaderNote{
	"$filter":          {"Only entities for which this holds.", filterDocs},
	"$select":          {"Only these properties.", filterDocs},
	"$top":             {"At most so many entities in a page.", filterDocs},
	"$format":          {"The format of the answer, in place of Accept.", payloadDocs},
	"NextPartitionKey": {"Where this page begins; from the page before.", pagingDocs},
	"NextRowKey":       {"Where this page begins; from the page before.", pagingDocs},
	"NextTableName":    {"Where this page begins; from the page before.", pagingDocs},
	"comp":             {"Which side of the resource: acl, properties or stats. Shared Key signs it.", authDocs},
	"restype":          {"What kind of resource: service.", docs + "get-table-service-properties"},
	"timeout":          {"How many seconds the service may take.", docs + "setting-timeouts-for-table-service-operations"},
	"sv":               {"SAS: the version it was signed for.", sasDocs},
	"sp":               {"SAS: what it permits.", sasDocs},
	"st":               {"SAS: from when on it is valid.", sasDocs},
	"se":               {"SAS: when it expires.", sasDocs},
	"tn":               {"SAS: the table it is for. It is signed in lower case.", sasDocs},
	"si":               {"SAS: the stored access policy it follows.", docs + "define-stored-access-policy"},
	"sip":              {"SAS: the addresses it may be used from.", sasDocs},
	"spr":              {"SAS: the protocols it may be used over.", sasDocs},
	"spk":              {"SAS: the first partition key it reaches.", sasDocs},
	"srk":              {"SAS: the first row key it reaches.", sasDocs},
	"epk":              {"SAS: the last partition key it reaches.", sasDocs},
	"erk":              {"SAS: the last row key it reaches.", sasDocs},
	"ss":               {"SAS: the services it is for; t is tables.", docs + "create-account-sas"},
	"srt":              {"SAS: the kinds of resources it reaches: service, container, object.", docs + "create-account-sas"},
}

// NoteOnOption explains a parameter of the query.
func NoteOnOption(name string) HeaderNote { return optionNotes[name] }

// Sender names the client of a request: an SDK with its version, or a page. "" if
// it is unknown.
func Sender(h client.Header) string {
	for _, name := range []string{"x-ms-useragent", "User-Agent"} {
		agent, _, _ := strings.Cut(h.Get(name), " ")
		switch {
		case strings.HasPrefix(agent, "Mozilla/"):
			return "a page"
		case agent != "":
			return agent
		}
	}
	return ""
}
