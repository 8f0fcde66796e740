package inspect

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/humanize"
)

// Call is a request to the Table service, decoded.
type Call struct {
	Method    string // as sent
	Operation string // such as "Insert Entity"; "" if it is none
	Account   string
	Service   string // the account's address without a slash at its end
	Rest      string // the escaped path below it
	Path      odata.Path
	PathError error    // why Path could not be read
	Options   []Option // of the query, in the order in which they were sent
	Signed    bool     // it had credentials, which are not recorded
	Header    client.Header
	Body      []byte
}

// Option is a parameter of the query, decoded.
type Option struct{ Name, Value string }

// redacted stands in recorded addresses for what is not recorded.
const redacted = "REDACTED"

// CallOf decodes a recorded request.
func CallOf(d control.RecordedDetail) Call {
	c := addressed(d.Recorded)
	for name, value := range d.RequestHeaders {
		c.Header = append(c.Header, client.Field{Name: name, Value: value})
	}
	slices.SortFunc(c.Header, func(a, b client.Field) int { return cmp.Compare(a.Name, b.Name) })
	c.Signed = c.Signed || c.Header.Get("Authorization") != ""
	c.Method = c.meant()
	if d.RequestBody != nil {
		c.Body = []byte(*d.RequestBody)
	}
	return c
}

// meant returns the method that the call means: that of X-HTTP-Method in a POST.
func (c Call) meant() string {
	if tunnelled := c.Header.Get("X-HTTP-Method"); tunnelled != "" && c.Method == "POST" {
		return tunnelled
	}
	return c.Method
}

// addressed decodes method and address.
func addressed(r control.Recorded) Call {
	c := Call{Method: r.Method, Operation: r.Operation, Account: r.Account}
	address, query, _ := strings.Cut(r.URL, "?")
	c.Service, c.Rest = splitAddress(address, r.Account)
	c.Path, c.PathError = odata.ParsePath(c.Rest)
	for _, pair := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		o := Option{unescape(name), unescape(value)}
		switch {
		case pair == "":
		case o.Name == "sig":
			c.Signed = true
		default:
			c.Options = append(c.Options, o)
		}
	}
	return c
}

// splitAddress splits an address into that of its account, which is in the host's
// name or in the path, and the path below.
func splitAddress(address, account string) (service, rest string) {
	scheme, after, ok := strings.Cut(address, "://")
	if !ok {
		return "", address
	}
	host, path, _ := strings.Cut(after, "/")
	service, path = scheme+"://"+host, "/"+path
	if account == "" || strings.HasPrefix(host, account+".") {
		return service, path
	}
	for _, folder := range []string{"/table", ""} {
		in, rest, ok := strings.Cut(path, folder+"/"+account)
		if ok && (rest == "" || rest[0] == '/') && !strings.Contains(in, "(") {
			return service + in + folder + "/" + account, cmp.Or(rest, "/")
		}
	}
	return service, path
}

func unescape(text string) string {
	if decoded, err := url.QueryUnescape(text); err == nil {
		return decoded
	}
	return text
}

// Option returns the value of an option, "" if it is absent.
func (c Call) Option(name string) string {
	for _, o := range c.Options {
		if o.Name == name {
			return o.Value
		}
	}
	return ""
}

// sasParameters are the parameters of a shared access signature.
var sasParameters = []string{"sv", "ss", "srt", "sp", "st", "se", "sip", "spr", "ses", "tn", "si", "spk", "srk", "epk", "erk", "sig"}

// Query returns the options that ask for something, without credentials and
// without what was not recorded.
func (c Call) Query() []Option {
	var all []Option
	for _, o := range c.Options {
		if !slices.Contains(sasParameters, o.Name) && o.Value != redacted {
			all = append(all, o)
		}
	}
	return all
}

// Address returns the address that repeats the call, below a service's address
// and without credentials.
func (c Call) Address(service string) string {
	address, separator := service+c.Rest, "?"
	for _, o := range c.Query() {
		address += separator + escape(o.Name) + "=" + escape(o.Value)
		separator = "&"
	}
	return address
}

func escape(text string) string {
	return strings.NewReplacer("+", "%20", "%24", "$", "%27", "'", "%28", "(", "%29", ")", "%2C", ",").Replace(url.QueryEscape(text))
}

// Resource returns what a request is about in a line: the decoded path and options, or how
// many operations a transaction has.
func Resource(r control.Recorded) string {
	c := addressed(r)
	text := c.Rest
	if decoded, err := url.PathUnescape(text); err == nil {
		text = decoded
	}
	for i, o := range c.Query() {
		text += map[bool]string{true: "?", false: "&"}[i == 0] + o.Name + "=" + o.Value
	}
	if n := int(r.Operations); n > 0 {
		text += " · " + humanize.Count(n, "operation", "operations")
	}
	return text
}

// operationOf names the operation of a part of a batch, which the endpoint does
// not record.
func operationOf(method string, path odata.Path, ifMatch string) string {
	switch {
	case method == "POST" && path.Resource == odata.EntitiesResource:
		return InsertEntity
	case method == "GET" && path.Resource == odata.EntitiesResource:
		return QueryEntities
	case path.Resource != odata.EntityResource:
		return ""
	}
	switch method {
	case "GET":
		return GetEntity
	case "DELETE":
		return DeleteEntity
	case "PUT":
		return map[bool]string{true: InsertOrReplaceEntity, false: UpdateEntity}[ifMatch == ""]
	case "MERGE", "PATCH":
		return map[bool]string{true: InsertOrMergeEntity, false: MergeEntity}[ifMatch == ""]
	}
	return ""
}

// The operations of the service, as the endpoint names them.
const (
	QueryTables           = "Query Tables"
	CreateTable           = "Create Table"
	DeleteTable           = "Delete Table"
	QueryEntities         = "Query Entities"
	GetEntity             = "Get Entity"
	InsertEntity          = "Insert Entity"
	UpdateEntity          = "Update Entity"
	MergeEntity           = "Merge Entity"
	InsertOrReplaceEntity = "Insert Or Replace Entity"
	InsertOrMergeEntity   = "Insert Or Merge Entity"
	DeleteEntity          = "Delete Entity"
	Transaction           = "Entity Group Transaction"
)
