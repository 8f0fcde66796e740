package control

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/server"
	"sandtable/server/message"
)

// dump sends the store, or an account of it, as an archive. An error after the
// first byte aborts the response; what arrived lacks its last line and is refused
// when it is loaded. Corruption does not abort it: browsers discard an aborted
// download, and the last line says how much is missing.
func (c *call) dump() (int, []byte, error) {
	name, err := c.queryAccount()
	if err != nil {
		return 0, nil, err
	}
	snapshot, err := c.querySnapshot(name)
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
		if snapshot != "" {
			s, err := tx.Snapshot(w.name, snapshot)
			w.total.Tables, w.total.Entities = s.Tables, s.Entities
			return err
		}
		return nil
	})
	if err == nil {
		_, err = archive.Dump(w, c.db, archive.DumpOptions{Account: w.name, Snapshot: snapshot})
	}
	if w.started {
		if err != nil {
			panic(message.ErrAbort) // so that no client takes a part for the whole
		}
		return 0, nil, nil
	}
	return 0, nil, err
}

// querySnapshot returns the snapshot of an account that is named in the query, ""
// without one.
func (c *call) querySnapshot(account string) (string, error) {
	id := c.query.Get("snapshot")
	if c.query.Has("snapshot") && (id == "" || account == "") {
		return "", invalidInput("snapshot must be the id of a snapshot of the account.")
	}
	return id, nil
}

// dumpWriter flushes every write, so that a slow reader holds the dump back.
type dumpWriter struct {
	call    *call
	name    string
	total   counts
	started bool
}

func (w *dumpWriter) Write(b []byte) (int, error) {
	if err := w.call.http.Context.Err(); err != nil {
		return 0, err
	}
	if !w.started {
		w.start()
	}
	n, err := w.call.writer.Write(b)
	if flusher, ok := w.call.writer.(message.Flusher); ok && err == nil {
		flusher.Flush()
	}
	return n, err
}

func (w *dumpWriter) start() {
	w.started = true
	name := "sandtable"
	if w.name != "" {
		name = w.name
	}
	day := w.call.now().UTC().Format("2006-01-02")
	h := w.call.writer.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Content-Disposition", `attachment; filename="`+name+"-"+day+`.jsonl"`)
	// For the client's progress bar.
	h["x-sandtable-tables"] = []string{strconv.Itoa(w.total.Tables)}
	h["x-sandtable-entities"] = []string{strconv.Itoa(w.total.Entities)}
	w.call.writer.WriteHeader(message.StatusOK)
}

// maxChunk limits a chunk of an archive, in bytes. It always holds a whole line.
const maxChunk = archive.MaxLine + 8<<20

// load reads a whole archive as it arrives, or one chunk of it.
func (c *call) load() (int, []byte, error) {
	name, err := c.queryAccount()
	if err != nil {
		return 0, nil, err
	}
	snapshot, err := c.querySnapshot(name)
	if err != nil {
		return 0, nil, err
	}
	settings := c.options.Token == "" // other sites do not reach the tables, whatever their rules
	if c.query.Has("settings") {
		if settings, err = c.queryBool("settings"); err != nil {
			return 0, nil, err
		}
	}
	checks := server.DocumentChecks()
	options := archive.LoadOptions{
		Account: name, Snapshot: snapshot, KeepSettings: !settings, Strict: c.options.StrictAccounts,
		Keys: c.presetKeys, Policies: checks.Policies, Properties: checks.Properties,
	}
	switch {
	case c.query.Has("chunk"):
		return c.loadChunk(options)
	case c.query.Has("last"):
		return 0, nil, invalidInput("last needs chunk.")
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
	counts(report.Counts).describe(&o)
	o.int("unchanged", report.Unchanged)
	o.int("corruption", report.Corruption)
	return ok(o.end())
}

// loadChunk loads a part of an archive. Nothing is remembered between chunks:
// each one carries what the response to the one before it returned.
func (c *call) loadChunk(options archive.LoadOptions) (int, []byte, error) {
	from, err := archive.ParsePosition(c.query.Get("chunk"))
	if err != nil {
		return 0, nil, err
	}
	last, err := c.queryBool("last")
	if err != nil {
		return 0, nil, err
	}
	body, err := server.ReadBody(c.http, maxChunk)
	if err != nil {
		return 0, nil, err
	}
	report, next, err := archive.LoadChunk(body, last, c.db, from, options)
	if err != nil {
		return 0, nil, loadError(err)
	}
	var o object
	counts(next.Counts).describe(&o)
	o.int("unchanged", report.Unchanged)
	o.int("corruption", report.Corruption)
	o.int("bytes", int(next.Bytes-from.Bytes))
	if !last {
		o.string("next", next.String())
	}
	return ok(o.end())
}

// presetKeys returns the keys of an account that survives a reset.
func (c *call) presetKeys(name string) (keys [2][]byte) {
	for _, account := range c.options.Accounts {
		if account.Name == name {
			return account.Keys
		}
	}
	return keys
}

// loadError distinguishes a malformed archive from a store that cannot take it
// and a body that did not arrive.
func loadError(err error) error {
	switch {
	case errors.Is(err, engine.ErrSnapshotNotFound), errors.Is(err, engine.ErrSnapshotComplete):
		return err
	case errors.Is(err, engine.ErrStorage), errors.Is(err, engine.ErrClosed), errors.Is(err, server.ErrBodyUnreadable):
		return err
	}
	return &controlError{400, "InvalidArchive", err.Error() + ". Everything before that was loaded.", ""}
}

// bodyReader marks the errors of reading a body.
type bodyReader struct{ r io.Reader }

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil && err != io.EOF {
		err = server.ErrBodyUnreadable
	}
	return n, err
}
