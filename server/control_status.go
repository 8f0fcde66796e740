package server

import (
	"sandtable/engine"
	"sandtable/odata/payload"
	"sandtable/server/message"
)

// Space is what the one who keeps the data says of the room for them.
type Space struct {
	// Persisted says whether the browser promised not to clear them; nil where
	// that is not known, or means nothing.
	Persisted *bool
	// Quota and Usage are bytes, of all that the origin keeps; 0 is not known.
	Quota, Usage int64
}

func (c *controlCall) status() (int, []byte, error) {
	space := Space{}
	if c.options.Space != nil {
		space = c.options.Space(c.http.Context)
	}
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		var o object
		o.string("build", c.options.Build)
		o.string("store", c.options.Store)
		o.string("durability", c.chosen.Load().durability.String())
		c.describeSpace(&o, space)
		total := countAll(tx)
		o.int("accounts", total.Accounts)
		o.int("tables", total.Tables)
		o.int("entities", total.Entities)
		c.describeBlocks(&o)
		var damage [][]byte
		for _, d := range c.db.Corruption() {
			damage = append(damage, payload.AppendString(nil, d.String()))
		}
		o.list("damage", damage)
		o.raw("settings", c.chosen.Load().document())
		return o.end(), nil
	})
}

// describeSpace says null where something is not known.
func (c *controlCall) describeSpace(o *object, space Space) {
	switch {
	case c.options.Store == "memory":
		o.bool("persisted", false)
	case space.Persisted != nil:
		o.bool("persisted", *space.Persisted)
	default:
		o.null("persisted")
	}
	o.bytes("quota", space.Quota)
	o.bytes("usage", space.Usage)
}

// bytes adds a number of bytes, null for 0, which is not known.
func (o *object) bytes(name string, n int64) {
	if n <= 0 {
		o.null(name)
		return
	}
	o.int(name, int(n))
}

func (c *controlCall) describeBlocks(o *object) {
	stats := c.db.Stats()
	var blocks object
	blocks.int("all", stats.Blocks)
	blocks.int("resident", stats.Resident)
	blocks.int("memory", stats.Memory)
	blocks.int("budget", stats.Budget)
	o.object("blocks", blocks)
	if stats.Checkpointed == 0 {
		o.null("lastCheckpoint")
	} else {
		o.string("lastCheckpoint", stats.Checkpointed.String())
	}
	if f := stats.Failing; f == nil {
		o.null("checkpointFailure")
	} else {
		var failure object
		failure.string("error", f.Err.Error())
		failure.string("since", f.Since.String())
		failure.int("attempts", f.Attempts)
		o.object("checkpointFailure", failure)
	}
}

// counts are numbers of things in the store.
type counts struct{ Accounts, Tables, Entities int }

func countAll(tx *engine.Tx) (total counts) {
	for account := range tx.Accounts() {
		one := countAccount(tx, account.Name)
		total.Accounts++
		total.Tables += one.Tables
		total.Entities += one.Entities
	}
	return total
}

func countAccount(tx *engine.Tx, name string) (one counts) {
	one.Accounts = 1
	for table := range tx.Tables(name, "") {
		one.Tables++
		one.Entities += table.Entities
	}
	return one
}

// document is what an action answers that took or put so much.
func (n counts) document(o *object) {
	o.int("accounts", n.Accounts)
	o.int("tables", n.Tables)
	o.int("entities", n.Entities)
}

func ok(document []byte) (int, []byte, error) { return message.StatusOK, document, nil }
