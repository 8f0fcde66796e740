package ui

import (
	"errors"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
)

// Failure draws any error: the service's with its code, others in words.
func Failure(err error, actions ...app.UI) app.HTMLDiv {
	var refusal *client.ServiceError
	var unreachable *client.Unreachable
	switch {
	case errors.As(err, &unreachable):
		return Error("", unreachable.Error(), actions...)
	case errors.As(err, &refusal):
		return Error(refusal.Code, refusal.Message, actions...)
	case errors.Is(err, client.ErrNoAnswer):
		return Error("", "The endpoint does not answer.", actions...)
	}
	return Error("", Sentence(err.Error()), actions...)
}
