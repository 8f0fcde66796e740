package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"sandtable/web/client"
)

// Verify checks the whole store and returns the problems found. The time it takes
// grows with the store. It calls progress about once a second with what was read so
// far.
func (c *Client) Verify(ctx context.Context, progress func(Verified)) (v Verified, err error) {
	err = callWithProgress(ctx, c, "/verify", &v, progress)
	if err == nil && v.Findings == nil {
		err = fmt.Errorf("%w: %s/verify", ErrNoSandtable, c.Base)
	}
	return v, err
}

// Size is how much a store takes.
type Size struct {
	Blocks  int `json:"blocks"`
	Bytes   int `json:"bytes"`
	Records int `json:"walRecords"`
}

// Mergeable is an estimate of what a compaction would gain: the blocks that it would
// merge, and the bytes that it would free.
type Mergeable struct {
	Blocks int `json:"blocks"`
	Bytes  int `json:"bytes"`
}

// Mergeable estimates what [Client.Compact] would gain now.
func (c *Client) Mergeable(ctx context.Context) (m Mergeable, err error) {
	err = c.call(ctx, client.MethodGet, "/compact", nil, &m)
	return m, err
}

// Compacted is what [Client.Compact] did.
type Compacted struct{ Before, After *Size }

// Compact merges blocks that deletions have left half empty, and writes a checkpoint.
// It calls progress about once a second with the store's size.
func (c *Client) Compact(ctx context.Context, progress func(Size)) (r Compacted, err error) {
	err = callWithProgress(ctx, c, "/compact", &r, progress)
	if err == nil && (r.Before == nil || r.After == nil) {
		err = fmt.Errorf("%w: %s/compact", ErrNoSandtable, c.Base)
	}
	return r, err
}

// callWithProgress calls an operation whose answer may follow lines of progress.
func callWithProgress[Progress any](ctx context.Context, c *Client, path string, answer any, progress func(Progress)) error {
	var partial []byte // the beginning of a line
	received := func(part []byte) {
		lines := bytes.SplitAfter(append(partial, part...), []byte("\n"))
		partial = bytes.Clone(lines[len(lines)-1])
		for _, line := range lines[:len(lines)-1] {
			var now struct{ Progress *Progress }
			if json.Unmarshal(line, &now) == nil && now.Progress != nil {
				progress(*now.Progress)
			}
		}
	}
	text, err := c.receive(ctx, client.MethodPost, path, nil, received)
	if err != nil {
		return err
	}
	text = lastLine(text)
	if code, message, ok := client.ControlError(text); ok {
		return &client.ServiceError{Status: 200, Code: code, Message: message}
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrNoSandtable, c.Base+path, err)
	}
	return nil
}

func lastLine(text []byte) []byte {
	text = bytes.TrimRight(text, "\n")
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

// ArchiveEnd is the last line of an archive: what it holds.
type ArchiveEnd struct {
	Kind       string `json:"@sandtable"`
	Accounts   int    `json:"accounts"`
	Tables     int    `json:"tables"`
	Entities   int    `json:"entities"`
	Corruption int    `json:"corruption"` // what was corrupt in the store and left out
}

// ErrNoArchive means that a file is not a complete dump.
var ErrNoArchive = errors.New("this is not a dump of Sandtable, or its end is missing")

// archiveTail is how many bytes of the end of an archive hold its last line.
const archiveTail = 4096

// ReadArchiveEnd reads the last line of an archive of some size.
func ReadArchiveEnd(size int, read func(from, to int) ([]byte, error)) (end ArchiveEnd, err error) {
	tail, err := read(max(0, size-archiveTail), size)
	if err != nil {
		return end, err
	}
	if json.Unmarshal(lastLine(tail), &end) != nil || end.Kind != "end" {
		return end, ErrNoArchive
	}
	return end, nil
}

// Loaded is what was taken from an archive so far.
type Loaded struct {
	Tables   int    `json:"tables"`
	Entities int    `json:"entities"`
	Bytes    int    `json:"bytes"` // of the last chunk
	Next     string `json:"next"`
}

// The sizes of the chunks of an archive: a chunk that holds no whole line is
// sent again with more.
const (
	firstChunk = 2 << 20
	mostChunk  = 16 << 20
)

// Load adds what an archive of some size holds, and replaces what has the same
// keys. It reads the archive in parts, and reports how many bytes are done.
func (c *Client) Load(ctx context.Context, size int, read func(from, to int) ([]byte, error), progress func(done int)) (Loaded, error) {
	return c.load(ctx, "", size, read, progress)
}

// load is Load with more query options, which end with an ampersand.
func (c *Client) load(ctx context.Context, target string, size int, read func(from, to int) ([]byte, error), progress func(done int)) (Loaded, error) {
	var at Loaded
	for done, chunk := 0, firstChunk; ; {
		end := min(size, done+chunk)
		part, err := read(done, end)
		if err != nil {
			return at, err
		}
		query := "?" + target + "chunk=" + url.QueryEscape(at.Next)
		if end == size {
			query += "&last=true"
		}
		next := Loaded{}
		if err := c.call(ctx, client.MethodPost, "/load"+query, part, &next); err != nil {
			return at, err
		}
		at = next
		done += next.Bytes
		progress(done)
		switch {
		case end == size:
			return at, nil
		case next.Bytes > 0:
			chunk = firstChunk
		case chunk == mostChunk:
			return at, ErrNoArchive
		default:
			chunk = min(2*chunk, mostChunk)
		}
	}
}
