package message_test

import (
	"net/http"
	"testing"

	"sandtable/server/message"
)

// TestNamesSayWhatTheySay compares the constants with net/http's of the same names.
func TestNamesSayWhatTheySay(t *testing.T) {
	statuses := []struct{ ours, theirs int }{
		{message.StatusOK, http.StatusOK}, {message.StatusCreated, http.StatusCreated}, {message.StatusAccepted, http.StatusAccepted},
		{message.StatusNoContent, http.StatusNoContent}, {message.StatusResetContent, http.StatusResetContent},
		{message.StatusNotModified, http.StatusNotModified}, {message.StatusBadRequest, http.StatusBadRequest},
		{message.StatusUnauthorized, http.StatusUnauthorized}, {message.StatusNotFound, http.StatusNotFound},
		{message.StatusInternalServerError, http.StatusInternalServerError},
		{message.StatusInsufficientStorage, http.StatusInsufficientStorage},
	}
	for _, s := range statuses {
		if s.ours != s.theirs {
			t.Errorf("%d where net/http has %d, %s", s.ours, s.theirs, http.StatusText(s.theirs))
		}
	}
	methods := []struct{ ours, theirs string }{
		{message.MethodDelete, http.MethodDelete}, {message.MethodGet, http.MethodGet}, {message.MethodHead, http.MethodHead},
		{message.MethodOptions, http.MethodOptions}, {message.MethodPatch, http.MethodPatch}, {message.MethodPost, http.MethodPost},
		{message.MethodPut, http.MethodPut}, {message.TimeFormat, http.TimeFormat},
	}
	for _, m := range methods {
		if m.ours != m.theirs {
			t.Errorf("%q where net/http has %q", m.ours, m.theirs)
		}
	}
}
