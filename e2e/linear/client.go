package linear

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// client sends calls to a table. It remembers the ETag of each value that a
// response contained.
type client struct {
	http *http.Client
	base func() string // the account's address, which changes when the server starts again

	mu   *sync.Mutex
	tags map[int]string // by value
}

const table = "Linear"

// send performs a call in a partition.
func (c *client) send(partition string, of call) answer {
	if len(of) > 1 {
		return c.transaction(partition, of)
	}
	s := of[0]
	method, path, body := c.request(partition, s)
	status, header, text, err := c.do(method, path, body, c.condition(s), "application/json")
	if err != nil || status >= 500 {
		return lost(err)
	}
	if status == 201 {
		status = 204
	}
	got := answer{status: status}
	if s.kind == read && status == 200 {
		got.value = valueIn(text)
		c.learn(got.value, header.Get("ETag"))
	} else if status == 204 && s.kind != remove {
		c.learn(s.value, header.Get("ETag"))
	}
	return got
}

// lost is the answer to a call without a response. A call that was never sent,
// because no server listened, did not happen.
func lost(err error) answer {
	return answer{unknown: true, unsent: errors.Is(err, syscall.ECONNREFUSED)}
}

func (c *client) request(partition string, s step) (method, path, body string) {
	path = fmt.Sprintf("/%s(PartitionKey='%s',RowKey='%d')", table, partition, s.row)
	body = fmt.Sprintf(`{"PartitionKey":"%s","RowKey":"%d","Value":%d}`, partition, s.row, s.value)
	switch s.kind {
	case read:
		return http.MethodGet, path, ""
	case insert:
		return http.MethodPost, "/" + table, body
	case remove:
		return http.MethodDelete, path, ""
	}
	return http.MethodPut, path, body
}

// condition returns the If-Match of a step, "" for none.
func (c *client) condition(s step) string {
	if s.kind != update && s.kind != remove {
		return ""
	}
	if s.expect == present {
		return "*"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tags[s.expect]
}

func (c *client) learn(value int, tag string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tags[value] = tag
}

// known returns a value whose ETag is known and that was read or written here.
func (c *client) known(value int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tags[value] != ""
}

func (c *client) transaction(partition string, of call) answer {
	var b strings.Builder
	b.WriteString("--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n")
	for _, s := range of {
		method, path, body := c.request(partition, s)
		fmt.Fprintf(&b, "--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n%s %s%s HTTP/1.1\r\n"+
			"Accept: application/json;odata=nometadata\r\nContent-Type: application/json\r\nPrefer: return-no-content\r\n", method, c.base(), path)
		if condition := c.condition(s); condition != "" {
			fmt.Fprintf(&b, "If-Match: %s\r\n", condition)
		}
		fmt.Fprintf(&b, "\r\n%s\r\n", body)
	}
	b.WriteString("--c--\r\n--b--\r\n")
	status, _, text, err := c.do(http.MethodPost, "/$batch", b.String(), "", "multipart/mixed; boundary=b")
	if err != nil || status >= 500 {
		return lost(err)
	}
	if status != http.StatusAccepted {
		return answer{status: status} // which no call should get
	}
	parts := partStatus.FindAllStringSubmatch(text, -1)
	if len(parts) == 1 && parts[0][1] >= "400" {
		failed, _ := strconv.Atoi(partIndex.FindStringSubmatch(text)[1])
		code, _ := strconv.Atoi(parts[0][1])
		return answer{status: code, failed: failed}
	}
	for i, tag := range partTag.FindAllStringSubmatch(text, -1) {
		if writes := writing(of); i < len(writes) {
			c.learn(writes[i].value, tag[1])
		}
	}
	return answer{status: 204}
}

var (
	partStatus = regexp.MustCompile(`HTTP/1\.1 (\d+) `)
	partIndex  = regexp.MustCompile(`"value":"(\d+):`)
	partTag    = regexp.MustCompile(`ETag: (.*)\r`)
	valueField = regexp.MustCompile(`"Value":(\d+)`)
)

// writing returns the steps whose responses have an ETag.
func writing(of call) []step {
	var all []step
	for _, s := range of {
		if s.kind != remove {
			all = append(all, s)
		}
	}
	return all
}

func valueIn(text string) int {
	value, _ := strconv.Atoi(valueField.FindStringSubmatch(text)[1])
	return value
}

func (c *client) do(method, path, body, condition, contentType string) (int, http.Header, string, error) {
	r, err := http.NewRequest(method, c.base()+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, nil, "", err
	}
	r.Header.Set("Accept", "application/json;odata=nometadata")
	r.Header.Set("x-ms-version", "2019-02-02")
	if body != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if condition != "" {
		r.Header.Set("If-Match", condition)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return 0, nil, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(text), err
}
