//go:build !js

package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// DefaultTransport returns the transport of this platform: net/http natively,
// fetch in a browser.
func DefaultTransport() Transport { return httpTransport{} }

type httpTransport struct{}

func (httpTransport) Do(ctx context.Context, r Request) (Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return Response{}, fmt.Errorf("request %s: %w", r.URL, err)
	}
	for _, f := range r.Header {
		request.Header.Set(f.Name, f.Value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return Response{}, errors.Join(ErrNoAnswer, err)
	}
	defer answer.Body.Close()
	content := io.Reader(answer.Body)
	if r.Received != nil {
		content = io.TeeReader(content, receiver(r.Received))
	}
	if r.Limit > 0 {
		content = io.LimitReader(content, int64(r.Limit)+1)
	}
	body, err := io.ReadAll(content)
	if err == nil && r.Limit > 0 && len(body) > r.Limit {
		err = errTooLong(r.Limit)
	}
	if err != nil {
		return Response{}, errors.Join(ErrNoAnswer, err)
	}
	response := Response{Status: answer.StatusCode, Body: body}
	for name, values := range answer.Header {
		for _, value := range values {
			response.Header = append(response.Header, Field{name, value})
		}
	}
	return response, nil
}

// receiver is a function that gets what is written.
type receiver func([]byte)

func (r receiver) Write(part []byte) (int, error) {
	r(part)
	return len(part), nil
}
