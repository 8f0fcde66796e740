package control

import (
	"errors"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/message"
)

// progressEvery is how long an action runs before it first reports its progress,
// and how often it does so from then on.
const progressEvery = time.Second

// maxProblems limits the problems in a response. Nobody reads more: a store with
// that many is best dumped.
const maxProblems = 1000

// verify checks the whole store.
func (c *call) verify() (int, []byte, error) {
	l, err := c.long()
	if err != nil {
		return 0, nil, err
	}
	options := server.DocumentChecks()
	options.Progress = func(r engine.Report) { l.progress(func(o *object) { describeReport(o, r) }) }
	report, err := c.db.Verify(c.http.Context, options)
	return l.end(err, func(o *object) {
		describeReport(o, report)
		problems := []string{}
		for _, p := range report.Problems[:min(len(report.Problems), maxProblems)] {
			problems = append(problems, p.String())
		}
		o.strings("problems", problems)
	})
}

func describeReport(o *object, r engine.Report) {
	counts{r.Accounts, r.Tables, r.Entities}.describe(o)
	o.int("blocks", r.Blocks)
	o.int("bytes", int(r.Bytes))
	o.int("walRecords", r.Records)
	o.int("unusedBlocks", r.Garbage)
	o.int("problemCount", len(r.Problems))
}

// mergeable says what compact would merge.
func (c *call) mergeable() (int, []byte, error) {
	m := c.db.Mergeable()
	var o object
	o.int("blocks", m.Blocks)
	o.int("bytes", int(m.Bytes))
	return ok(o.end())
}

// compact makes the store as small as possible.
func (c *call) compact() (int, []byte, error) {
	l, err := c.long()
	if err != nil {
		return 0, nil, err
	}
	before, after, err := c.db.Compact(c.http.Context, func(u engine.Usage) {
		l.progress(func(o *object) { describeUsage(o, u) })
	})
	if errors.Is(err, engine.ErrStorage) && !errors.Is(err, engine.ErrReading) {
		err = errNotCompacted
	}
	return l.end(err, func(o *object) {
		var b, a object
		describeUsage(&b, before)
		describeUsage(&a, after)
		o.object("before", b)
		o.object("after", a)
	})
}

func describeUsage(o *object, u engine.Usage) {
	o.int("blocks", u.Blocks)
	o.int("bytes", int(u.Bytes))
	o.int("walRecords", u.Records)
}

// longResponse is the response of an action that may take long. It is one
// document if the action ends within a second. Otherwise it consists of JSON
// Lines: progress about every second, then the document or the error.
type longResponse struct {
	call     *call
	reported time.Time // last, or the start
	started  bool      // the first line has been sent
}

// long reads a request without members and starts its response.
func (c *call) long() (*longResponse, error) {
	m, err := c.members()
	if err != nil {
		return nil, err
	}
	return &longResponse{call: c, reported: c.now()}, m.finish()
}

// progress sends a line if one is due. Once the response has started, a client
// that leaves ends the request's context.
func (l *longResponse) progress(describe func(*object)) {
	now := l.call.now()
	if now.Sub(l.reported) < progressEvery {
		return
	}
	l.reported = now
	if !l.started {
		l.started = true
		l.call.beginParts("application/x-ndjson")
	}
	var progress, o object
	describe(&progress)
	o.object("progress", progress)
	l.line(o.end())
}

func (l *longResponse) line(data []byte) {
	_, _ = l.call.writer.Write(append(data, '\n')) // an error means that the client has gone
	if flusher, ok := l.call.writer.(message.Flusher); ok {
		flusher.Flush()
	}
}

func (l *longResponse) end(err error, describeResult func(*object)) (int, []byte, error) {
	if err != nil && l.call.http.Context.Err() != nil {
		err = engine.ErrClosed // a client that still reads should try again
	}
	var o object
	switch {
	case err != nil && !l.started:
		return 0, nil, err
	case err != nil:
		l.line(describe(err).document())
		return 0, nil, nil
	}
	describeResult(&o)
	if !l.started {
		return ok(o.end())
	}
	l.line(o.end())
	return 0, nil, nil
}
