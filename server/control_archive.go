package server

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/server/message"
)

// dump sends the store, or an account of it, as an archive. An error after the
// first byte breaks the answer off; what was sent is an archive without its end,
// which is noticed when it is loaded, too. Damage does not break it off: whoever
// saves what can be saved gets all of that, browsers throw away an answer that
// was broken off, and the last line says that something is missing.
func (c *controlCall) dump() (int, []byte, error) {
	name, err := c.queryAccount()
	if err != nil {
		return 0, nil, err
	}
	w := &dumpWriter{call: c, name: name}
	err = c.db.View(func(tx *engine.Tx) error {
		if w.name == "" {
			w.total = countAll(tx)
			return nil
		}
		if _, err := tx.Account(w.name); err != nil {
			return err
		}
		w.total = countAccount(tx, w.name)
		return nil
	})
	if err == nil {
		_, err = archive.Dump(w, c.db, archive.DumpOptions{Account: w.name})
	}
	if w.begun {
		if err != nil {
			panic(message.ErrAbort) // so that no client takes what it has for the whole
		}
		return 0, nil, nil
	}
	return 0, nil, err
}

// dumpWriter sends what it is given at once, and so holds up a dump that is
// faster than its reader.
type dumpWriter struct {
	call  *controlCall
	name  string
	total counts
	begun bool
}

func (w *dumpWriter) Write(b []byte) (int, error) {
	if err := w.call.http.Context.Err(); err != nil {
		return 0, err
	}
	if !w.begun {
		w.begin()
	}
	n, err := w.call.writer.Write(b)
	if flusher, ok := w.call.writer.(message.Flusher); ok && err == nil {
		flusher.Flush()
	}
	return n, err
}

func (w *dumpWriter) begin() {
	w.begun = true
	name := "sandtable"
	if w.name != "" {
		name = w.name
	}
	day := w.call.options.Now().UTC().Format("2006-01-02")
	h := w.call.writer.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Content-Disposition", `attachment; filename="`+name+"-"+day+`.jsonl"`)
	// So that a client can say how far it is.
	h["x-sandtable-tables"] = []string{strconv.Itoa(w.total.Tables)}
	h["x-sandtable-entities"] = []string{strconv.Itoa(w.total.Entities)}
	w.call.writer.WriteHeader(message.StatusOK)
}

// maxPiece is how long a piece of an archive can be, in bytes: there is always
// a whole line in it.
const maxPiece = archive.MaxLine + 8<<20

// load reads a whole archive as it comes, or a piece of one.
func (c *controlCall) load() (int, []byte, error) {
	name, err := c.queryAccount()
	if err != nil {
		return 0, nil, err
	}
	checks := DocumentChecks()
	options := archive.LoadOptions{Account: name, Keys: c.givenKeys, Policies: checks.Policies, Properties: checks.Properties}
	switch {
	case c.query.Has("piece"):
		return c.loadPiece(options)
	case c.query.Has("last"):
		return 0, nil, invalidInput("last is of a piece, and there is none.")
	}
	body := c.http.Body
	if body == nil {
		body = bytes.NewReader(nil)
	}
	report, err := archive.Load(&bodyReader{r: body}, c.db, options)
	if err != nil {
		return 0, nil, loadError(err)
	}
	var o object
	counts(report.Counts).document(&o)
	o.int("unchanged", report.Unchanged)
	o.int("damage", report.Damage)
	return ok(o.end())
}

// loadPiece loads a part of an archive. Nothing is remembered between two
// pieces: the next one brings along what the answer to this one said.
func (c *controlCall) loadPiece(options archive.LoadOptions) (int, []byte, error) {
	from, err := archive.ParsePlace(c.query.Get("piece"))
	if err != nil {
		return 0, nil, err
	}
	last := c.query.Get("last") == "true"
	if c.query.Has("last") && !last && c.query.Get("last") != "false" {
		return 0, nil, invalidInput("last is true or false.")
	}
	text, err := readBodyUpTo(c.http, maxPiece)
	if err != nil {
		return 0, nil, err
	}
	report, next, err := archive.LoadPiece(text, last, c.db, from, options)
	if err != nil {
		return 0, nil, loadError(err)
	}
	var o object
	counts(next.Counts).document(&o)
	o.int("unchanged", report.Unchanged)
	o.int("damage", report.Damage)
	o.int("bytes", int(next.Bytes-from.Bytes))
	if !last {
		o.string("next", next.String())
	}
	return ok(o.end())
}

// givenKeys are those of accounts that the host says are always there.
func (c *controlCall) givenKeys(name string) (keys [2][]byte) {
	for _, account := range c.options.Accounts {
		if account.Name == name {
			return account.Keys
		}
	}
	return keys
}

// loadError tells an archive that cannot be loaded from a store that cannot
// take it, or a body that did not come.
func loadError(err error) error {
	switch {
	case errors.Is(err, engine.ErrStorage), errors.Is(err, engine.ErrClosed), errors.Is(err, errBodyUnreadable):
		return err
	}
	return &controlError{400, "InvalidArchive", err.Error() + ". What stood before it was loaded.", ""}
}

// bodyReader marks errors of reading a body.
type bodyReader struct{ r io.Reader }

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil && err != io.EOF {
		err = errBodyUnreadable
	}
	return n, err
}
