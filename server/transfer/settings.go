package transfer

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"sandtable/server/xmldoc"
)

var xmlHeader = http.Header{"Content-Type": {"application/xml"}, "Accept": {"application/xml"}}

// CopyPolicies copies the stored access policies of the tables that take part, and
// returns how many tables have any. Those of the target are replaced, except for
// tables that have none in the source. A policy has no key and no signature.
func CopyPolicies(ctx context.Context, from, to *Client, options Options) (tables int, err error) {
	c := &copier{from: from, options: options}
	names, err := c.tables(ctx)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		path := tablePath(name) + "?comp=acl"
		answer, err := from.call(ctx, "GET", path, xmlHeader, nil, nil)
		if err != nil {
			return tables, fmt.Errorf("read the access policies of table %s: %w", name, err)
		}
		policies, err := xmldoc.ParsePolicies(answer.body)
		if err != nil {
			return tables, fmt.Errorf("read the access policies of table %s: %w", name, err)
		}
		if len(policies) == 0 {
			continue
		}
		tables++
		if options.DryRun {
			continue
		}
		if _, err := to.call(ctx, "PUT", path, xmlHeader, xmldoc.AppendPolicies(nil, policies), nil); err != nil {
			return tables, fmt.Errorf("write the access policies of table %s: %w", name, err)
		}
	}
	return tables, nil
}

// CopyProperties copies the service properties: CORS rules, logging and metrics.
func CopyProperties(ctx context.Context, from, to *Client, options Options) error {
	const path = "/?restype=service&comp=properties"
	answer, err := from.call(ctx, "GET", path, xmlHeader, nil, nil)
	if err != nil {
		return fmt.Errorf("read the service properties: %w", err)
	}
	if options.DryRun {
		return nil
	}
	document := bytes.TrimPrefix(answer.body, []byte("\ufeff"))
	if _, err := to.call(ctx, "PUT", path, xmlHeader, document, nil); err != nil {
		return fmt.Errorf("write the service properties: %w", err)
	}
	return nil
}
