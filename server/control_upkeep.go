package server

import (
	"time"

	"sandtable/engine"
	"sandtable/odata/payload"
	"sandtable/server/message"
	"sandtable/server/xmldoc"
)

// tellEvery is after how long, and how often, a client is told how far a long
// action is.
const tellEvery = time.Second

// maxFindings is how many findings an answer has: who has more will not read
// them, and dumps what can be read.
const maxFindings = 1000

// DocumentChecks returns the options of [engine.DB.Verify] that read the
// documents of accounts and tables as the service does; those of
// [archive.LoadOptions] are the same.
func DocumentChecks() engine.VerifyOptions {
	return engine.VerifyOptions{Policies: readsAs(xmldoc.ParsePolicies), Properties: readsAs(xmldoc.ParseProperties)}
}

// readsAs makes a check of a document of what parses it.
func readsAs[T any](parse func([]byte) (T, error)) func(string) error {
	return func(document string) error {
		_, err := parse([]byte(document))
		return err
	}
}

// verify looks at all that is stored.
func (c *controlCall) verify() (int, []byte, error) {
	l, err := c.long()
	if err != nil {
		return 0, nil, err
	}
	options := DocumentChecks()
	options.Progress = func(r engine.Report) { l.tell(func(o *object) { describeReport(o, r) }) }
	report, err := c.db.Verify(c.http.Context, options)
	return l.end(err, func(o *object) {
		describeReport(o, report)
		texts := [][]byte{}
		for _, f := range report.Problems[:min(len(report.Problems), maxFindings)] {
			texts = append(texts, payload.AppendString(nil, f.String()))
		}
		o.list("findings", texts)
	})
}

func describeReport(o *object, r engine.Report) {
	counts{r.Accounts, r.Tables, r.Entities}.document(o)
	o.int("blocks", r.Blocks)
	o.int("bytes", int(r.Bytes))
	o.int("records", r.Records)
	o.int("garbage", r.Garbage)
	o.int("found", len(r.Problems))
}

// compact makes what is stored as small as it can be.
func (c *controlCall) compact() (int, []byte, error) {
	l, err := c.long()
	if err != nil {
		return 0, nil, err
	}
	before, after, err := c.db.Compact(c.http.Context, func(u engine.Usage) {
		l.tell(func(o *object) { describeUsage(o, u) })
	})
	return l.end(err, func(o *object) {
		for _, side := range []struct {
			name  string
			usage engine.Usage
		}{{"before", before}, {"after", after}} {
			var usage object
			describeUsage(&usage, side.usage)
			o.object(side.name, usage)
		}
	})
}

func describeUsage(o *object, u engine.Usage) {
	o.int("blocks", u.Blocks)
	o.int("bytes", int(u.Bytes))
	o.int("records", u.Records)
}

// longAnswer is that of an action which may take long: a document like all
// others, and once a second has passed, lines of JSON. Each line says how far
// it is, and the last is the document, or the error.
type longAnswer struct {
	call  *controlCall
	told  time.Time // last, or when it began
	begun bool
}

// long reads a request that says nothing but what is to be done.
func (c *controlCall) long() (*longAnswer, error) {
	m, err := c.members()
	if err != nil {
		return nil, err
	}
	return &longAnswer{call: c, told: c.options.Now()}, m.finish()
}

// tell says how far it is, if it is time. A client that has gone shows in the
// request's context, once the answer has begun.
func (l *longAnswer) tell(describe func(*object)) {
	now := l.call.options.Now()
	if now.Sub(l.told) < tellEvery {
		return
	}
	l.told = now
	if !l.begun {
		l.begun = true
		l.call.writer.Header().Set("Content-Type", "application/x-ndjson")
		l.call.writer.WriteHeader(message.StatusOK)
	}
	var progress, o object
	describe(&progress)
	o.object("progress", progress)
	l.line(o.end())
}

func (l *longAnswer) line(text []byte) {
	_, _ = l.call.writer.Write(append(text, '\n')) // the caller is gone, if this fails
	if flusher, ok := l.call.writer.(message.Flusher); ok {
		flusher.Flush()
	}
}

func (l *longAnswer) end(err error, describe func(*object)) (int, []byte, error) {
	if err != nil && l.call.http.Context.Err() != nil {
		err = engine.ErrClosed // whoever hears it, if anybody, asks again
	}
	var o object
	switch {
	case err != nil && !l.begun:
		return 0, nil, err
	case err != nil:
		l.line(describeControl(err).document())
		return 0, nil, nil
	}
	describe(&o)
	if !l.begun {
		return ok(o.end())
	}
	l.line(o.end())
	return 0, nil, nil
}
