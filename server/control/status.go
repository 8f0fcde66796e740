package control

import (
	"sandtable/engine"
)

// Space describes the space for the data.
type Space struct {
	// Persisted reports whether the browser promised not to clear the data; nil
	// if that is unknown or does not apply.
	Persisted *bool
	// Quota and Usage are bytes of everything that the origin keeps; 0 is unknown.
	Quota, Usage int64
}

func (c *call) status() (int, []byte, error) {
	space := Space{}
	if c.options.Space != nil {
		space = c.options.Space(c.http.Context)
	}
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		var o object
		o.string("build", c.options.Build)
		o.string("store", c.options.Store)
		o.string("durability", c.current.Load().durability.String())
		c.describeSpace(&o, space)
		total := countAll(tx)
		o.int("accounts", total.Accounts)
		o.int("tables", total.Tables)
		o.int("entities", total.Entities)
		c.describeBlocks(&o)
		corruption := []string{}
		for _, d := range c.db.Corruption() {
			corruption = append(corruption, d.String())
		}
		o.strings("corruption", corruption)
		o.raw("settings", c.current.Load().document())
		return o.end(), nil
	})
}

// describeSpace writes null for what is unknown.
func (c *call) describeSpace(o *object, space Space) {
	switch {
	case c.options.Store == "memory":
		o.bool("persisted", false)
	case space.Persisted != nil:
		o.bool("persisted", *space.Persisted)
	default:
		o.null("persisted")
	}
	o.positive("quota", space.Quota)
	o.positive("usage", space.Usage)
}

func (c *call) describeBlocks(o *object) {
	stats := c.db.Stats()
	var blocks object
	blocks.int("total", stats.Blocks)
	blocks.int("resident", stats.Resident)
	blocks.int("memory", stats.Memory)
	blocks.int("budget", stats.Budget)
	o.object("blocks", blocks)
	o.int("walBytes", stats.WAL)
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

// counts are numbers of accounts, tables and entities.
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

// describe adds the counts to a document.
func (n counts) describe(o *object) {
	o.int("accounts", n.Accounts)
	o.int("tables", n.Tables)
	o.int("entities", n.Entities)
}
