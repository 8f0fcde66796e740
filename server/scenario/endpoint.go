package scenario

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// defaultVersion is the x-ms-version of requests that name none.
const defaultVersion = "2019-02-02"

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 16 << 20

// Endpoint is a Table endpoint and the account whose tables the scenarios may
// create and delete.
type Endpoint struct {
	URL     string // such as http://127.0.0.1:10002/devstoreaccount1, without a slash at the end
	Account string
	Key     []byte
	Client  *http.Client
}

// received is an answer as it came.
type received struct {
	status int
	header http.Header
	body   string
}

// send sends a request whose variables are replaced.
func (e *Endpoint) send(ctx context.Context, method, path string, header []Field, body string) (received, error) {
	fields := http.Header{
		"X-Ms-Date":    {time.Now().UTC().Format(http.TimeFormat)},
		"X-Ms-Version": {defaultVersion},
		"User-Agent":   {"sandtable-scenario"},
		"Accept":       {"application/json;odata=minimalmetadata"},
	}
	given := http.Header{}
	for _, f := range header {
		fields.Del(f.Name)
		if !f.Absent {
			given.Add(f.Name, f.Value)
		}
	}
	maps.Copy(fields, given)
	auth := fields.Get("Auth")
	fields.Del("Auth")
	if strings.HasPrefix(fields.Get("Content-Type"), "multipart/") {
		body = strings.ReplaceAll(body, "\n", "\r\n")
	}
	target := e.URL + path
	if parameters, ok := strings.CutPrefix(auth, "sas "); ok {
		token, err := e.sas(parameters)
		if err != nil {
			return received{}, err
		}
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		target += separator + token
	}
	r, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		return received{}, err
	}
	r.Header = fields
	e.sign(r, auth)
	return e.receive(r)
}

func (e *Endpoint) receive(r *http.Request) (received, error) {
	answer, err := e.Client.Do(r)
	if err != nil {
		return received{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return received{}, err
	}
	return received{status: answer.StatusCode, header: answer.Header, body: string(bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")))}, nil
}

// sign adds the Authorization header that auth names. Like sas, it writes the string to
// sign itself instead of calling package auth: so a scenario also checks how the server
// reads signatures.
//
// https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
func (e *Endpoint) sign(r *http.Request, auth string) {
	key := e.Key
	resource := "/" + e.Account + r.URL.EscapedPath()
	if comp := r.URL.Query().Get("comp"); comp != "" {
		resource += "?comp=" + comp
	}
	date := r.Header.Get("X-Ms-Date")
	scheme, text := "SharedKey", r.Method+"\n"+r.Header.Get("Content-Md5")+"\n"+r.Header.Get("Content-Type")+"\n"+date+"\n"+resource
	switch {
	case auth == "":
	case auth == "SharedKeyLite":
		scheme, text = auth, date+"\n"+resource
	case auth == "wrong":
		key = []byte("not the account's key")
	default:
		return
	}
	r.Header.Set("Authorization", scheme+" "+e.Account+":"+signature(key, text))
}

// sas signs the parameters of a SAS, given as a query string. Missing sv, se
// and, for an account's SAS, ss and srt get usual values.
//
// https://learn.microsoft.com/rest/api/storageservices/create-service-sas and create-account-sas
func (e *Endpoint) sas(parameters string) (string, error) {
	q, err := url.ParseQuery(parameters)
	if err != nil {
		return "", fmt.Errorf("sas %q: %w", parameters, err)
	}
	usual := func(name, value string) {
		if !q.Has(name) {
			q.Set(name, value)
		}
	}
	usual("sv", defaultVersion)
	table := q.Get("tn")
	if table == "" || !q.Has("si") {
		usual("se", time.Now().UTC().Add(time.Hour).Format("2006-01-02T15:04:05Z"))
	}
	var text string
	if table != "" {
		text = join(q.Get("sp"), q.Get("st"), q.Get("se"), "/table/"+e.Account+"/"+strings.ToLower(table), q.Get("si"), q.Get("sip"), q.Get("spr"),
			q.Get("sv"), q.Get("spk"), q.Get("srk"), q.Get("epk"), q.Get("erk"))
	} else {
		usual("ss", "t")
		usual("srt", "sco")
		text = join(e.Account, q.Get("sp"), q.Get("ss"), q.Get("srt"), q.Get("st"), q.Get("se"), q.Get("sip"), q.Get("spr"), q.Get("sv"), "")
	}
	if !q.Has("sig") {
		q.Set("sig", signature(e.Key, text))
	}
	return q.Encode(), nil
}

func join(fields ...string) string { return strings.Join(fields, "\n") }

func signature(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
