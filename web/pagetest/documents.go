package pagetest

import (
	"strings"

	"sandtable/web/client"
)

// document answers for policies and service properties: with what was put
// there, or with what a new table or account has.
func (f *Endpoint) document(r client.Request, address string) client.Response {
	if f.Deny != "" && r.Method == "PUT" {
		return serviceError(400, f.Deny, "XML specified is not syntactically valid.")
	}
	if r.Method == "PUT" {
		if f.Sent == nil {
			f.Sent = map[string]string{}
		}
		f.Sent[address] = string(r.Body)
		return client.Response{Status: 202}
	}
	body, sent := f.Sent[address]
	switch {
	case sent:
	case strings.Contains(address, "comp=acl"):
		body = `<SignedIdentifiers />`
	default:
		body = `<StorageServiceProperties><Logging><Read>false</Read><Write>false</Write><Delete>false</Delete><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging>` +
			`<HourMetrics><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics>` +
			`<MinuteMetrics><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics><Cors /></StorageServiceProperties>`
	}
	return client.Response{Status: 200, Body: []byte(body)}
}
