package browser

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// LocalOffset returns the seconds by which local time is ahead of UTC at a time. It asks
// the browser, which knows the rules of its time zone: in WebAssembly [time.Local] has
// the offset of the present for all times.
func LocalOffset(t time.Time) (seconds int) {
	date := app.Window().Get("Date")
	if !date.Truthy() {
		_, seconds := t.Local().Zone()
		return seconds
	}
	return -60 * date.New(float64(t.UnixMilli())).Call("getTimezoneOffset").Int()
}
