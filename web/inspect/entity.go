package inspect

import (
	"bytes"
	"encoding/json"
	"strings"

	"sandtable/odata"
	"sandtable/odata/payload"
)

// EntityOf returns the entity that a call writes. The keys come from the address
// if the call has them there.
func EntityOf(c Call) (*odata.Entity, error) {
	body, err := payload.DecodeEntity(c.Body)
	if err != nil {
		return nil, err
	}
	key := c.Path.Key
	if c.Path.Resource != odata.EntityResource {
		key, _ = body.Key()
	}
	return &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey, Properties: body.Properties}, nil
}

// Pretty returns a JSON body with indents, and any other body as it is.
func Pretty(body []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") == nil {
		return b.String()
	}
	return strings.ToValidUTF8(string(body), "\uFFFD")
}

func codeOf(body []byte) string {
	if e, err := payload.DecodeErrorResponse(body); err == nil {
		return e.Code
	}
	return ""
}

func messageOf(body []byte) string {
	if e, err := payload.DecodeErrorResponse(body); err == nil {
		message, _, _ := strings.Cut(e.Message, "\nRequestId:")
		return strings.TrimSpace(message)
	}
	return ""
}
