package client

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sandtable/odata"
	"sandtable/odata/payload"
)

// Client reads and changes the tables of one account. It has no state of its
// own and can be used by several goroutines.
type Client struct {
	// Base is the account's address without a slash at its end, such as
	// https://host/table/devstoreaccount1.
	Base      string
	Transport Transport
}

// version is the protocol's version that the SDKs of today ask for.
const version = "2019-02-02"

const explainHeader = "x-sandtable-explain"

// Tables returns the names of all tables in the service's order, from as many
// pages as there are.
func (c *Client) Tables(ctx context.Context) ([]string, error) {
	var all []string
	for next := ""; ; {
		options := ""
		if next != "" {
			options = "NextTableName=" + url.QueryEscape(next)
		}
		response, err := c.send(ctx, MethodGet, odata.Path{Resource: odata.TablesResource}, options, nil, nil)
		if err != nil {
			return nil, err
		}
		names, err := payload.DecodeTablesResponse(response.Body)
		if err != nil {
			return nil, unreadable(response, err)
		}
		all = append(all, names...)
		if next = response.Header.Get("x-ms-continuation-NextTableName"); next == "" {
			return all, nil
		}
	}
}

// CreateTable makes a table. Its refusals are those of "Create Table".
func (c *Client) CreateTable(ctx context.Context, name string) error {
	body := payload.AppendTableRequest(nil, name)
	header := Header{{"Prefer", "return-no-content"}}
	_, err := c.send(ctx, MethodPost, odata.Path{Resource: odata.TablesResource}, "", header, body)
	return err
}

// DeleteTable deletes a table and all that is in it.
func (c *Client) DeleteTable(ctx context.Context, name string) error {
	_, err := c.send(ctx, MethodDelete, odata.Path{Resource: odata.TableResource, Table: name}, "", nil, nil)
	return err
}

// Query selects entities of a table, and the page of them that is read.
type Query struct {
	Filter string        // as it was written; "" for all
	Select string        // names with commas between them; "" for all
	Top    int           // entities in a page; 0 for as many as the service gives
	From   *Continuation // nil for the first page
}

// Continuation is where the next page begins: the service's tokens, unchanged. If
// RowKey is "", the service sent none, and none must be sent back.
type Continuation struct{ PartitionKey, RowKey string }

// Page is a part of the answer to a [Query].
type Page struct {
	Entities []Entity
	Next     *Continuation // nil after the last page
	Explain  Explain
	Elapsed  time.Duration // from the request to the whole answer
}

// Entity is an entity as it was read, with its tag.
type Entity struct {
	*odata.Entity
	Tag string
}

// ValueOf returns a custom property of an entity, or one of its keys.
func ValueOf(e *odata.Entity, name string) (odata.Value, bool) {
	switch name {
	case odata.PartitionKeyName:
		return odata.StringValue(e.PartitionKey), true
	case odata.RowKeyName:
		return odata.StringValue(e.RowKey), true
	}
	return e.Property(name)
}

// Query returns one page. It can be empty and still have a next one.
func (c *Client) Query(ctx context.Context, table string, q Query) (Page, error) {
	start := time.Now()
	response, err := c.send(ctx, MethodGet, odata.Path{Resource: odata.EntitiesResource, Table: table},
		q.options(), Header{{explainHeader, "1"}}, nil)
	if err != nil {
		return Page{}, err
	}
	received, err := payload.DecodeEntitiesResponse(response.Body)
	if err != nil {
		return Page{}, unreadable(response, err)
	}
	page := Page{Elapsed: time.Since(start), Explain: ParseExplain(response.Header.Get(explainHeader))}
	for i := range received {
		page.Entities = append(page.Entities, entityOf(&received[i]))
	}
	if next := response.Header.Get("x-ms-continuation-NextPartitionKey"); next != "" {
		page.Next = &Continuation{next, response.Header.Get("x-ms-continuation-NextRowKey")}
	}
	return page, nil
}

func (q Query) options() string {
	var all []string
	add := func(name, value string) {
		if strings.TrimSpace(value) != "" {
			all = append(all, name+"="+url.QueryEscape(value))
		}
	}
	add("$filter", q.Filter)
	add("$select", q.Select)
	if q.Top > 0 {
		add("$top", strconv.Itoa(q.Top))
	}
	if q.From != nil {
		add("NextPartitionKey", q.From.PartitionKey)
		add("NextRowKey", q.From.RowKey)
	}
	return strings.Join(all, "&")
}

// Get returns one entity with all its properties.
func (c *Client) Get(ctx context.Context, table string, key odata.Key) (Entity, error) {
	response, err := c.send(ctx, MethodGet, entityPath(table, key), "", nil, nil)
	if err != nil {
		return Entity{}, err
	}
	received, err := payload.DecodeEntityResponse(response.Body)
	if err != nil {
		return Entity{}, unreadable(response, err)
	}
	return entityOf(&received), nil
}

// Insert adds an entity, and is refused where its key is taken. The result is
// its new tag.
func (c *Client) Insert(ctx context.Context, table string, e *odata.Entity) (tag string, err error) {
	response, err := c.send(ctx, MethodPost, odata.Path{Resource: odata.EntitiesResource, Table: table},
		"", Header{{"Prefer", "return-no-content"}}, payload.AppendRequest(nil, e))
	return response.Header.Get("ETag"), err
}

// Replace replaces the entity with the key of e, if that still has
// the tag; "*" stands for any tag. The result is its new tag.
func (c *Client) Replace(ctx context.Context, table string, e *odata.Entity, ifMatch string) (tag string, err error) {
	response, err := c.send(ctx, MethodPut, entityPath(table, e.Key()), "",
		Header{{"If-Match", ifMatch}}, payload.AppendRequest(nil, e))
	return response.Header.Get("ETag"), err
}

// Delete removes an entity if it still has the tag; "*" stands for any tag.
func (c *Client) Delete(ctx context.Context, table string, key odata.Key, ifMatch string) error {
	_, err := c.send(ctx, MethodDelete, entityPath(table, key), "", Header{{"If-Match", ifMatch}}, nil)
	return err
}

func (c *Client) send(ctx context.Context, method string, path odata.Path, options string, header Header, body []byte) (Response, error) {
	address := c.Base + path.String()
	if options != "" {
		address += "?" + options
	}
	all := append(Header{
		{"Accept", "application/json;odata=minimalmetadata"},
		{"x-ms-version", version},
		{"DataServiceVersion", "3.0"},
	}, header...)
	if body != nil {
		all = append(all, Field{"Content-Type", "application/json"})
	}
	return Send(ctx, c.Transport, Request{Method: method, URL: address, Header: all, Body: body})
}

func entityPath(table string, key odata.Key) odata.Path {
	return odata.Path{Resource: odata.EntityResource, Table: table, Key: key}
}

func entityOf(r *payload.Received) Entity {
	e := Entity{Entity: &r.Entity, Tag: r.ETag}
	if e.Tag == "" && e.Timestamp != 0 {
		e.Tag = e.ETag()
	}
	return e
}
