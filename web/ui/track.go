package ui

import (
	"fmt"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Track draws how much is done, from 0 to 1.
func Track(label string, fraction float64) app.UI {
	percent := int(100 * min(1, max(0, fraction)))
	return app.Div().Class("track").Role("progressbar").Aria("label", label).Aria("valuemin", 0).Aria("valuemax", 100).Aria("valuenow", percent).
		DataSet("testid", "bar").Body(app.I().Style("width", fmt.Sprintf("%d%%", percent)))
}
