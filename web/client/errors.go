package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sandtable/odata/payload"
)

// ErrNoAnswer means that a request got no answer, because the network or the service
// worker is gone.
var ErrNoAnswer = errors.New("no answer")

// Codes of the service on which the page acts.
const (
	CodeTableNotFound       = "TableNotFound"
	CodeTableAlreadyExists  = "TableAlreadyExists"
	CodeEntityAlreadyExists = "EntityAlreadyExists"
	CodeResourceNotFound    = "ResourceNotFound"
	CodeConditionNotMet     = "UpdateConditionNotSatisfied"
)

// ServiceError is the service's refusal of a request.
type ServiceError struct {
	Status  int
	Code    string // such as TableNotFound; "" where the answer had none
	Message string // without the lines about the request's id and time
	Reason  string // why a worker has no engine, in one word, if a retry alone does not help; otherwise ""
}

// Error returns code and message.
func (e *ServiceError) Error() string {
	if e.Code == "" {
		return e.Message
	}
	return e.Code + ": " + e.Message
}

// reasonHeader is set by a worker whose engine does not start.
const reasonHeader = "x-sandtable-reason"

// HasCode reports whether err is a refusal with one of these codes of the service.
func HasCode(err error, codes ...string) bool {
	var refusal *ServiceError
	return errors.As(err, &refusal) && slices.Contains(codes, refusal.Code)
}

// IsAboutQuery reports whether a refusal of a query means that the query itself is wrong.
func IsAboutQuery(err error) bool {
	var refusal *ServiceError
	return errors.As(err, &refusal) && refusal.Code != "InvalidAuthenticationInfo" && slices.Contains([]int{400, 414, 501}, refusal.Status)
}

// refusal reads the error in a response. If its format is unknown, the error is the
// status and the beginning of the body: another server may have answered.
func refusal(r Response) *ServiceError {
	e := &ServiceError{Status: r.Status, Reason: r.Header.Get(reasonHeader)}
	if known, err := payload.DecodeErrorResponse(r.Body); err == nil && known.Code+known.Message != "" {
		e.Code, e.Message = known.Code, withoutTail(known.Message)
		return e
	}
	if code, message, ok := ControlError(r.Body); ok {
		e.Code, e.Message = code, message
		return e
	}
	if document, err := parseXML(r.Body, "error"); err == nil && document.value("code") != "" {
		e.Code, e.Message = document.value("code"), withoutTail(document.value("message"))
		return e
	}
	e.Message = fmt.Sprintf("The endpoint answered with status %d.", r.Status)
	if text := beginning(r.Body); text != "" && !strings.HasPrefix(text, "<") {
		e.Message += " " + text
	}
	return e
}

// unreadable says what came where an answer of the service was expected: an
// emulator may answer with anything.
func unreadable(r Response, err error) error {
	if text := beginning(r.Body); text != "" {
		return fmt.Errorf("the endpoint's answer cannot be read: %w. It begins with %s", err, text)
	}
	return fmt.Errorf("the endpoint's answer cannot be read: %w. It is empty", err)
}

func beginning(body []byte) string {
	return strings.ToValidUTF8(strings.TrimSpace(string(body[:min(len(body), 200)])), "")
}

// withoutTail cuts the lines "RequestId:…" and "Time:…" off, with which the
// service ends its messages.
func withoutTail(message string) string {
	text, _, _ := strings.Cut(message, "\nRequestId:")
	return strings.TrimSpace(text)
}

// ControlError reads the body of a refusal of the control API.
func ControlError(body []byte) (code, message string, ok bool) {
	var answer struct {
		Error struct{ Code, Message string } `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error.Message == "" {
		return "", "", false
	}
	return answer.Error.Code, answer.Error.Message, true
}
