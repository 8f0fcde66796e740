package browser

import (
	"encoding/json"
	"errors"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Persistence is what the browser says about keeping the site's data.
type Persistence struct {
	Persisted bool
	Usage     int // bytes used by this site
	Quota     int // bytes that it may use; 0 where the browser does not say
}

// ErrNoPersistence means that the browser cannot be asked.
var ErrNoPersistence = errors.New("this browser does not say whether it keeps the tables")

// ReadPersistence asks the browser whether it keeps the site's data.
func ReadPersistence() (Persistence, error) { return persistence("persisted") }

// RequestPersistence asks the browser to keep the site's data. It waits for the
// answer, which may be the user's.
func RequestPersistence() (Persistence, error) { return persistence("persist") }

func persistence(method string) (Persistence, error) {
	storage := app.Window().Get("navigator").Get("storage")
	if !storage.Truthy() || !storage.Get("persist").Truthy() {
		return Persistence{}, ErrNoPersistence
	}
	persisted, err := Await(storage.Call(method))
	if err != nil {
		return Persistence{}, err
	}
	p := Persistence{Persisted: persisted.Truthy()}
	if storage.Get("estimate").Truthy() {
		if estimate, err := Await(storage.Call("estimate")); err == nil {
			p.Usage, p.Quota = int(estimate.Get("usage").Float()), int(estimate.Get("quota").Float())
		}
	}
	return p, nil
}

// Load reads a value that Save has stored in this browser. It reports false for
// one that is absent, unreadable or invalid, so that no stored value can keep
// a page from opening. The value must be valid in itself: valid says so.
func Load[T any](name string, valid func(T) bool) (value T, ok bool) {
	return load("localStorage", name, valid)
}

// Stored reports whether something is stored under a name, even if it cannot be read.
func Stored(name string) (stored bool) {
	defer func() { _ = recover() }() // storage is blocked
	storage := app.Window().Get("localStorage")
	return storage.Truthy() && storage.Call("getItem", name).Truthy()
}

// Take returns a value that Hand has stored in this tab, and deletes it. It reports
// false where Load does.
func Take[T any](name string, valid func(T) bool) (value T, ok bool) {
	value, ok = load("sessionStorage", name, valid)
	forget("sessionStorage", name)
	return value, ok
}

// Recall is Take without the deletion.
func Recall[T any](name string, valid func(T) bool) (value T, ok bool) {
	return load("sessionStorage", name, valid)
}

func load[T any](area, name string, valid func(T) bool) (value T, ok bool) {
	defer func() {
		if recover() != nil { // storage is blocked
			var zero T
			value, ok = zero, false
		}
	}()
	storage := app.Window().Get(area)
	if !storage.Truthy() {
		return value, false
	}
	text := storage.Call("getItem", name)
	if !text.Truthy() || json.Unmarshal([]byte(text.String()), &value) != nil || !valid(value) {
		var zero T
		return zero, false
	}
	return value, true
}

// Forget deletes a value that Save has stored.
func Forget(name string) { forget("localStorage", name) }

func forget(area, name string) {
	defer func() { _ = recover() }()
	if storage := app.Window().Get(area); storage.Truthy() {
		storage.Call("removeItem", name)
	}
}

// Save stores a value in this browser, for Load. It reports false where storage
// is full or blocked: the value is lost with the page.
func Save(name string, value any) (kept bool) { return save("localStorage", name, value) }

// Hand stores a value for the next document in this tab, for Take or Recall. It
// reports false where Save does.
func Hand(name string, value any) (kept bool) { return save("sessionStorage", name, value) }

func save(area, name string, value any) (kept bool) {
	defer func() { _ = recover() }() // kept is false then
	storage := app.Window().Get(area)
	text, err := json.Marshal(value)
	if err != nil || !storage.Truthy() {
		return false
	}
	storage.Call("setItem", name, string(text))
	return true
}
