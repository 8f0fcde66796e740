package web

import (
	"context"
	"errors"
	"time"

	"sandtable/web/tableclient"
)

// host is the browser around the page, as far as starting needs it.
type host interface {
	// Workers reports whether there are service workers, and if not, why.
	Workers() (ok bool, why string)
	// Controlled reports whether a service worker answers this page's requests.
	Controlled() bool
	// AwaitControl waits until a worker controls the page, and reports whether
	// one did before the time was over. It returns early when a worker is
	// active and yet does not take the page, as after a forced reload.
	AwaitControl(limit time.Duration) bool
	// ReloadOnce reloads the page unless that was tried just before; it
	// reports whether the page is going away.
	ReloadOnce() bool
}

// controlLimit is how long the page waits for the worker, which downloads the
// engine when it is installed.
const controlLimit = 30 * time.Second

// Reasons for which the page cannot start, for people to read.
var (
	errNoControl = errors.New("The service worker did not take over this page. Extensions and the developer tools' “Bypass for network” can keep it from doing so.")
	errBypassed  = errors.New("Something else than the service worker answered this page. Extensions and the developer tools' “Bypass for network” can keep its requests from the worker.")
	errReloading = errors.New("the page is reloading")
)

// boot waits until there is an engine that answers, and returns its status. An
// endpoint that answers without a worker, such as a native server with the
// control API, needs no waiting.
func boot(ctx context.Context, h host, control *tableclient.Control) (tableclient.Status, error) {
	if h.Controlled() {
		return workerStatus(ctx, control)
	}
	if status, err := control.Status(ctx); err == nil {
		return status, nil
	}
	if ok, why := h.Workers(); !ok {
		return tableclient.Status{}, errors.New(why)
	}
	if !h.AwaitControl(controlLimit) {
		if h.ReloadOnce() {
			return tableclient.Status{}, errReloading
		}
		return tableclient.Status{}, errNoControl
	}
	return workerStatus(ctx, control)
}

// workerStatus asks for the status where a worker should answer. What the
// worker refuses has a code; an answer without one comes from the network.
func workerStatus(ctx context.Context, control *tableclient.Control) (tableclient.Status, error) {
	status, err := control.Status(ctx)
	var refusal *tableclient.ServiceError
	if errors.As(err, &refusal) && refusal.Code == "" || errors.Is(err, tableclient.ErrNoSandtable) {
		return status, errBypassed
	}
	return status, err
}
