package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The account that both servers start with.
//
// Source: "Use the Azurite emulator for local Azure Storage development".
const (
	account = "devstoreaccount1"
	key     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

const version = "2019-02-02"

// client sends requests to one server. It does as little as possible, because it
// shares the processors with the server that it measures.
type client struct {
	base string // http://host:port/account
	key  []byte
	http *http.Client

	observe func(method, target string, a answer) // nil, or sees each answer
}

func newClient(host string) *client {
	decoded, _ := base64.StdEncoding.DecodeString(key) // a test signs with it
	return &client{
		base: "http://" + host + "/" + account,
		key:  decoded,
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}},
	}
}

// signature returns the Shared Key Lite signature: of the date, a line feed, the
// account and the URL's encoded path. A path-style path begins with the account
// too, so it is signed twice.
func signature(key []byte, date, path string) string {
	mac := hmac.New(sha256.New, key)
	io.WriteString(mac, date+"\n/"+account+path)
	return "SharedKeyLite " + account + ":" + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// answer is a response whose body was read.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends one signed request. The target is the encoded path after the account,
// with its slash.
func (c *client) do(ctx context.Context, method, target, contentType string, body []byte) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+target, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	date := time.Now().UTC().Format(http.TimeFormat)
	h := request.Header
	h.Set("x-ms-date", date)
	h.Set("x-ms-version", version)
	h.Set("DataServiceVersion", "3.0")
	h.Set("Accept", "application/json;odata=nometadata")
	h.Set("Authorization", signature(c.key, date, request.URL.EscapedPath()))
	if contentType != "" {
		h.Set("Content-Type", contentType)
		h.Set("Prefer", "return-no-content")
	}
	if method == "MERGE" {
		h.Set("If-Match", "*")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	a := answer{response.StatusCode, response.Header, read}
	if c.observe != nil && err == nil {
		c.observe(method, target, a)
	}
	return a, err
}

// want is do for requests with one expected status.
func (c *client) want(ctx context.Context, status int, method, target, contentType string, body []byte) (answer, error) {
	a, err := c.do(ctx, method, target, contentType, body)
	if err == nil && a.status != status {
		err = fmt.Errorf("%s %s: status %d, want %d: %.300s", method, target, a.status, status, a.body)
	}
	return a, err
}

func (c *client) createTable(ctx context.Context, name string) error {
	_, err := c.want(ctx, http.StatusNoContent, "POST", "/Tables", "application/json", fmt.Appendf(nil, `{"TableName":%q}`, name))
	return err
}

func (c *client) insert(ctx context.Context, table string, e entity) error {
	_, err := c.want(ctx, http.StatusNoContent, "POST", "/"+table, "application/json", e.json(nil))
	return err
}

// merge changes one property of an entity that exists.
func (c *client) merge(ctx context.Context, table string, e entity) error {
	_, err := c.want(ctx, http.StatusNoContent, "MERGE", e.path(table), "application/json", fmt.Appendf(nil, `{"Rank":%d}`, e.number%distinctRanks))
	return err
}

// get reports whether the entity is there.
func (c *client) get(ctx context.Context, table string, e entity) (bool, error) {
	a, err := c.do(ctx, "GET", e.path(table), "", nil)
	switch {
	case err != nil:
		return false, err
	case a.status == http.StatusOK && bytes.Contains(a.body, []byte(e.row)):
		return true, nil
	case a.status == http.StatusNotFound: // the entity, or its table
		return false, nil
	}
	return false, fmt.Errorf("GET answered %d: %.300s", a.status, a.body)
}

// batch inserts entities of one partition: all, or none.
func (c *client) batch(ctx context.Context, table string, entities []entity) error {
	a, err := c.want(ctx, http.StatusAccepted, "POST", "/$batch", "multipart/mixed; boundary=batch_peers",
		appendBatch(nil, c.base+"/"+table, entities))
	if err != nil {
		return err
	}
	if n := created(a.body); n != len(entities) {
		return fmt.Errorf("a batch of %d created %d: %.600s", len(entities), n, a.body)
	}
	return nil
}

// query follows the continuation tokens and counts the entities.
func (c *client) query(ctx context.Context, table, filter string) (int, error) {
	target := "/" + table + "()?$filter=" + strings.ReplaceAll(url.QueryEscape(filter), "+", "%20")
	n := 0
	for next := target; ; {
		a, err := c.want(ctx, http.StatusOK, "GET", next, "", nil)
		if err != nil {
			return n, err
		}
		n += counted(a.body)
		more := continuation(a.header)
		if more == "" {
			return n, nil
		}
		next = target + more
	}
}

// continuation returns the suffix of the query for the next page, or "".
func continuation(h http.Header) string {
	partition, row := h.Get("x-ms-continuation-NextPartitionKey"), h.Get("x-ms-continuation-NextRowKey")
	if partition == "" {
		return ""
	}
	return "&NextPartitionKey=" + url.QueryEscape(partition) + "&NextRowKey=" + url.QueryEscape(row)
}

// counted returns the number of entities in a collection. A full decoder would
// cost more CPU time than the server uses.
func counted(body []byte) int { return bytes.Count(body, []byte(`"PartitionKey":`)) }

// created returns the number of batch operations with status 204.
func created(body []byte) int { return bytes.Count(body, []byte("HTTP/1.1 204")) }
