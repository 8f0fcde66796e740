package ui

import (
	"errors"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
)

// Retry draws an error with a button that tries again.
func Retry(err error, again app.EventHandler) app.HTMLDiv {
	return Failure(err, Button(Plain, "Try again", again))
}

// Failure draws any error: the service's with its status and code, others in words.
func Failure(err error, actions ...app.UI) app.HTMLDiv {
	var refusal *client.ServiceError
	var unreachable *client.Unreachable
	switch {
	case errors.As(err, &unreachable):
		return Error("", unreachable.Error(), actions...)
	case errors.As(err, &refusal) && refusal.Code == "InsufficientStorage":
		there := app.A().Class(string(Plain)).Href("?page=storage").DataSet("testid", "open-storage").Text("Open Storage")
		return Error(strconv.Itoa(refusal.Status)+" "+refusal.Code, refusal.Message+" Free some disk space, or delete what is not needed.", append(actions, there)...)
	case errors.As(err, &refusal) && refusal.Code != "":
		return Error(strconv.Itoa(refusal.Status)+" "+refusal.Code, refusal.Message, actions...)
	case errors.Is(err, client.ErrNoAnswer):
		return Error("", "The endpoint does not answer.", actions...)
	}
	return Error("", Sentence(err.Error()), actions...)
}
