package page

import (
	"context"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/ui"
)

// strip draws the jobs of a place. It is a component of its own because a page that
// shows thousands of tables cannot be drawn several times a second.
type strip struct {
	app.Compo
	Jobs         Jobs
	Route        Route
	All, Running int // they change what is drawn

	following bool
}

// Draw draws the jobs of a route: how far each is, or why it ended.
func (all Jobs) Draw(r Route) app.UI {
	s := &strip{Jobs: all, Route: r.Place()}
	for _, j := range all.of(r) {
		s.All++
		if !j.ended {
			s.Running++
		}
	}
	return s
}

// OnMount follows the jobs that are running.
func (s *strip) OnMount(ctx app.Context) { s.follow(ctx) }

// OnPreRender does natively what OnMount does in a browser.
func (s *strip) OnPreRender(ctx app.Context) { s.follow(ctx) }

// OnUpdate follows a job that was started.
func (s *strip) OnUpdate(ctx app.Context) { s.follow(ctx) }

func (s *strip) follow(ctx app.Context) {
	if s.following {
		return
	}
	Follow(ctx, func() bool {
		s.following = s.Jobs.Running(s.Route, "")
		return s.following
	})
}

// Render draws all jobs.
func (s *strip) Render() app.UI {
	var body []app.UI
	for i, j := range s.Jobs.of(s.Route) {
		if j.drawn() {
			body = append(body, s.draw(strconv.Itoa(i), j))
		}
	}
	return app.Div().Hidden(len(body) == 0).Body(body...)
}

func (s *strip) draw(i string, j *Job) app.UI {
	switch {
	case j.ended && j.err == context.Canceled:
		return app.Div().Class("selection").Role("status").DataSet("testid", "job-stopped").Body(
			app.Span().Text("Stopped: "+j.Words()+j.Rest), app.Span().Class("grow"), ui.Button(ui.Quiet, "Close", s.onClose).DataSet("job", i))
	case j.ended:
		return ui.Failure(j.err, app.Span().Text(j.Words()+j.Rest), ui.Button(ui.Plain, "Close", s.onClose).DataSet("job", i)).DataSet("testid", "job-error")
	}
	stop := "Stop"
	if j.stopped.Load() {
		stop = "Stopping…"
	}
	return app.Div().Class("selection").Role("status").DataSet("testid", "job").Body(
		app.Span().Text(j.Words()), app.Progress().Max(j.All).Value(j.Done()).Aria("label", j.Words()).Hidden(j.All <= 0),
		app.Span().Class("grow"), ui.Button(ui.Quiet, stop, s.onStop).DataSet("job", i).Disabled(j.stopped.Load()).DataSet("testid", "stop-job"))
}

// job returns the job whose button was pressed, nil if it has gone meanwhile.
func (s *strip) job(event app.Event) *Job {
	all := s.Jobs.of(s.Route)
	if i, err := strconv.Atoi(ui.Data(event, "job")); err == nil && i < len(all) {
		return all[i]
	}
	return nil
}

func (s *strip) onStop(_ app.Context, event app.Event) {
	if j := s.job(event); j != nil && !j.ended {
		j.Stop()
	}
}

func (s *strip) onClose(_ app.Context, event app.Event) {
	if j := s.job(event); j != nil && j.ended {
		s.Jobs.remove(s.Route, j)
	}
}
