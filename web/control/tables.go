package control

import (
	"context"
	"fmt"
	"net/url"

	"sandtable/web/client"
)

// Tables returns the tables of an account with their entity counts.
func (c *Client) Tables(ctx context.Context, account string) ([]client.Table, error) {
	var answer struct {
		Tables []client.Table `json:"tables"`
	}
	path := "/accounts/" + account + "/tables"
	err := c.call(ctx, client.MethodGet, path, nil, &answer)
	if err == nil && answer.Tables == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoSandtable, c.Base+path)
	}
	return answer.Tables, err
}

// Change is a change of the store that has become durable.
type Change struct {
	// Kind is "inserted", "updated" or "deleted" of an entity; "tableCreated",
	// "tableChanged", "tableDeleted", "tableRestored" (from a snapshot, without
	// changes of its entities); "snapshotsChanged"; "accountCreated", "accountChanged",
	// "accountDeleted"; "settingsChanged"; or "lost": events were missed, and
	// everything has to be read again.
	Kind         string `json:"kind"`
	Account      string `json:"account"`
	Table        string `json:"table"`
	PartitionKey string `json:"partitionKey"`
	RowKey       string `json:"rowKey"`
}

// Partitions is how the entities of a table are spread over its partitions.
type Partitions struct {
	Exact    bool        `json:"exact"` // otherwise counts are estimates
	All      int         `json:"all"`   // the number of partitions
	Entities int         `json:"entities"`
	Bytes    int         `json:"bytes"`
	List     []Partition `json:"partitions"`
}

// Partition is a partition of a table.
type Partition struct {
	Key      string `json:"key"`
	Entities int    `json:"entities"`
	Bytes    int    `json:"bytes"`
	// FirstRow and LastRow bound the row keys; LastRow is nil if it is unknown.
	FirstRow  string  `json:"firstRowKey"`
	LastRow   *string `json:"lastRowKey"`
	Estimated bool    `json:"estimated"`
}

// Partitions returns the partitions of a table in key order, the first 2,000.
func (c *Client) Partitions(ctx context.Context, account, table string) (Partitions, error) {
	var answer Partitions
	err := c.call(ctx, client.MethodGet, "/accounts/"+account+"/partitions?table="+url.QueryEscape(table), nil, &answer)
	return answer, err
}
