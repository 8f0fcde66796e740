package control

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandtable/odata"
	"sandtable/web/client"
)

// Snapshot is a named state of an account.
type Snapshot struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Kind       string    `json:"kind"` // "taken", "import", "delete", "restore" or "file"
	Taken      time.Time `json:"taken"`
	Tables     int       `json:"tables"`
	Entities   int       `json:"entities"`
	Bytes      int       `json:"bytes"` // that the present tables do not share
	State      string    `json:"state"` // equal for snapshots that hold the same
	Incomplete bool      `json:"incomplete"`
}

// Snapshots are those of an account, the oldest first.
type Snapshots struct {
	State     string     `json:"state"` // of the account now
	Bytes     int        `json:"bytes"` // of all together
	Limit     int        `json:"limit"` // how many there can be
	Snapshots []Snapshot `json:"snapshots"`
}

// Differing counts the entities that restoring a snapshot brings back, removes
// and changes.
type Differing struct {
	ComeBack int `json:"comeBack"`
	Go       int `json:"go"`
	Change   int `json:"change"`
}

// Differences is what restoring a snapshot would change.
type Differences struct {
	Differing
	Complete   bool             `json:"complete"`   // otherwise counting has ended early
	Properties bool             `json:"properties"` // the service properties differ
	Tables     []TableDiffering `json:"tables"`
	First      []Difference     `json:"first"`
}

// TableDiffering is what it would change in one table.
type TableDiffering struct {
	Differing
	Name     string `json:"name"`
	Created  bool   `json:"created"`
	Deleted  bool   `json:"deleted"`
	Policies bool   `json:"policies"`
}

// Difference is one entity: as it is now, and in the snapshot.
type Difference struct {
	Table  string                     `json:"table"`
	Before map[string]json.RawMessage `json:"before"`
	After  map[string]json.RawMessage `json:"after"`
}

// Properties returns the names of the properties of both, sorted, without the keys.
func (d Difference) Properties() []string {
	names := map[string]bool{}
	for _, e := range []map[string]json.RawMessage{d.Before, d.After} {
		for name := range e {
			if name != odata.PartitionKeyName && name != odata.RowKeyName && !strings.HasSuffix(name, typeSuffix) {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

const typeSuffix = "@odata.type"

// TypeOf returns the type of an entity's property without "Edm.", "" without the property
// or for null.
func TypeOf(e map[string]json.RawMessage, name string) string {
	var named string
	if json.Unmarshal(e[name+typeSuffix], &named) == nil {
		return strings.TrimPrefix(named, "Edm.")
	}
	switch value := string(e[name]); {
	case value == "", value == "null":
		return ""
	case value[0] == '"':
		return "String"
	case value == "true" || value == "false":
		return "Boolean"
	case strings.ContainsAny(value, ".eE"):
		return "Double"
	}
	return "Int32"
}

func snapshotsPath(account, id string) string {
	path := "/accounts/" + account + "/snapshots"
	if id != "" {
		path += "?id=" + url.QueryEscape(id)
	}
	return path
}

// Snapshots lists the snapshots of an account.
func (c *Client) Snapshots(ctx context.Context, account string) (s Snapshots, err error) {
	err = c.call(ctx, client.MethodGet, snapshotsPath(account, ""), nil, &s)
	return s, err
}

// TakeSnapshot names the present state of an account; the kind may be "import" or "delete".
func (c *Client) TakeSnapshot(ctx context.Context, account, name, kind string) (s Snapshot, err error) {
	err = c.send(ctx, client.MethodPost, snapshotsPath(account, ""), map[string]string{"name": name, "kind": kind}, &s)
	return s, err
}

// RenameSnapshot gives a snapshot another name.
func (c *Client) RenameSnapshot(ctx context.Context, account, id, name string) error {
	return c.send(ctx, client.MethodPatch, snapshotsPath(account, id), map[string]string{"name": name}, nil)
}

// DeleteSnapshot deletes a snapshot.
func (c *Client) DeleteSnapshot(ctx context.Context, account, id string) error {
	return c.call(ctx, client.MethodDelete, snapshotsPath(account, id), nil, nil)
}

// RestoreSnapshot gives an account the state of a snapshot. It returns a snapshot
// of the state before, nil if keep is false.
func (c *Client) RestoreSnapshot(ctx context.Context, account, id string, keep bool) (before *Snapshot, err error) {
	var answer struct{ Before *Snapshot }
	err = c.send(ctx, client.MethodPost, "/accounts/"+account+"/restore", map[string]any{"id": id, "keep": keep}, &answer)
	return answer.Before, err
}

// Differences returns what restoring a snapshot would change, with up to limit
// entities.
func (c *Client) Differences(ctx context.Context, account, id string, limit int) (d Differences, err error) {
	query := url.Values{"id": {id}, "limit": {strconv.Itoa(limit)}}
	err = c.call(ctx, client.MethodGet, "/accounts/"+account+"/differences?"+query.Encode(), nil, &d)
	return d, err
}

// SnapshotFile returns the address of a snapshot as a file.
func (c *Client) SnapshotFile(account, id string) string {
	return c.Base + "/dump?" + url.Values{"account": {account}, "snapshot": {id}}.Encode()
}

// OpenSnapshot makes a snapshot of a file. If that fails, the incomplete one is
// deleted.
func (c *Client) OpenSnapshot(ctx context.Context, account, name string, size int, read func(from, to int) ([]byte, error), progress func(done int)) (Snapshot, error) {
	s, err := c.TakeSnapshot(ctx, account, name, "file")
	if err != nil {
		return s, err
	}
	query := url.Values{"account": {account}, "snapshot": {s.ID}}.Encode() + "&"
	if _, err := c.load(ctx, query, size, read, progress); err != nil {
		_ = c.DeleteSnapshot(context.WithoutCancel(ctx), account, s.ID) // else it is listed as incomplete
		return s, err
	}
	return s, nil
}
