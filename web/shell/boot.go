package shell

import (
	"context"
	"errors"
	"time"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
)

// host is the browser around the page, as far as starting needs it.
type host interface {
	// Workers reports whether there are service workers, and if not, why.
	Workers() (ok bool, why string)
	// Controlled reports whether a service worker answers this page's requests.
	Controlled() bool
	// AwaitControl waits until a worker controls the page, as long as one is being
	// installed and otherwise until the limit. It returns early, with errNoControl,
	// when an active worker does not take the page, as after a forced reload, and
	// with the reason when none can be installed.
	AwaitControl(limit time.Duration) error
	// Watch calls f with what happens to the worker, until it is released.
	Watch(f func(workerEvent)) (release func())
	// Activate asks the waiting new version of the worker to become active.
	Activate()
	// Reload reloads the page.
	Reload()
	// ReloadOnce reloads the page unless that was tried just before; it
	// reports whether the page is going away.
	ReloadOnce() bool
	// OutOfReach says why the worker of a page that has one does not answer.
	OutOfReach() error
	// Build returns the version of the page, "" if it has none.
	Build() string
	// LastStore returns the store that was here when the page was last open,
	// and KeepLastStore remembers one; "" for none.
	LastStore() string
	KeepLastStore(identity string)
	// Persist asks the browser to keep the site's data. It waits for the answer,
	// which may be the user's.
	Persist() (browser.Persistence, error)
	// Persistence asks the browser whether it keeps the site's data.
	Persistence() (browser.Persistence, error)
}

// controlLimit is how long the page waits for a worker that is not being installed.
// Its script is small, and was requested before the page's program was.
const controlLimit = 10 * time.Second

// notice is an error that the page shows as it is: whole sentences.
type notice string

// Error returns the text.
func (n notice) Error() string { return string(n) }

// Why the page cannot start.
var (
	errNoControl = error(notice("The service worker did not take over this page. Extensions and the developer tools' “Bypass for network” can keep it from doing so."))
	errBypassed  = error(notice("Something else than the service worker answered this page. Extensions and the developer tools' “Bypass for network” can keep its requests from the worker."))
	errReloading = errors.New("the page is reloading")
)

// boot waits until there is an engine that answers, and returns its status. It
// sends nothing before a worker answers this page: the site's host knows nothing
// of the control API. Where there are no workers, the endpoint may still answer,
// as a native server with the control API does.
//
// A page whose requests do not reach the worker reloads once. Chromium loads a page
// without the worker when it stops the worker just then, as during an update, and
// still names it as the page's controller.
func boot(ctx context.Context, h host, api *control.Client) (control.Status, error) {
	status, err := reach(ctx, h, api)
	if (errors.Is(err, errNoControl) || errors.Is(err, errBypassed)) && h.ReloadOnce() {
		err = errReloading
	}
	return status, err
}

// reach is boot without the reload.
func reach(ctx context.Context, h host, api *control.Client) (control.Status, error) {
	if ok, why := h.Workers(); !ok {
		status, err := api.Status(ctx)
		if err != nil {
			err = errors.New(why)
		}
		return status, err
	}
	if !h.Controlled() {
		if err := h.AwaitControl(controlLimit); err != nil {
			return control.Status{}, err
		}
	}
	return workerStatus(ctx, api)
}

// workerStatus asks for the status where a worker should answer. What the
// worker refuses has a code; an answer without one comes from the network.
func workerStatus(ctx context.Context, api *control.Client) (control.Status, error) {
	status, err := api.Status(ctx)
	var refusal *client.ServiceError
	if errors.As(err, &refusal) && refusal.Code == "" || errors.Is(err, control.ErrNoSandtable) {
		return status, errBypassed
	}
	return status, err
}
