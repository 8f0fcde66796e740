package ui

import (
	"errors"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
)

// Failure draws any error: the service's with its status and code, others in words.
func Failure(err error, actions ...app.UI) app.HTMLDiv {
	var refusal *client.ServiceError
	var unreachable *client.Unreachable
	switch {
	case errors.As(err, &unreachable):
		return Error("", unreachable.Error(), actions...)
	case errors.As(err, &refusal) && refusal.Code != "":
		return Error(strconv.Itoa(refusal.Status)+" "+refusal.Code, refusal.Message, actions...)
	case errors.Is(err, client.ErrNoAnswer):
		return Error("", "The endpoint does not answer.", actions...)
	}
	return Error("", Sentence(err.Error()), actions...)
}
