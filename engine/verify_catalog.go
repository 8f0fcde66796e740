package engine

import (
	"fmt"
	"strings"

	"sandtable/odata"
)

// directory looks for blocks that are in no table, or that overlap.
func (v *verifier) directory() error {
	known := make(map[BlockID]bool, len(v.stored.Blocks))
	for _, info := range v.stored.Blocks {
		known[info.ID] = true
	}
	for _, id := range v.blocks {
		if !known[id] {
			v.find(Problem{Kind: OrphanBlock, Block: id, Err: fmt.Errorf("%w: it is not in the directory", ErrCorrupt)})
		}
	}
	m, err := decodeMeta(v.stored.Meta)
	if err != nil {
		return nil // reported by load, or nothing was written yet
	}
	used := make(map[BlockID]bool) // or corrupt, which was reported by load
	for _, id := range m.corrupt {
		used[id] = true
	}
	v.version.roots.Scan(func(r root) bool {
		if r.contents.blocks != nil {
			r.contents.blocks.Scan(func(ref *blockRef) bool {
				for _, part := range ref.parts() {
					used[part.ID] = true
				}
				return true
			})
		}
		return true
	})
	dropped := make(map[BlockID]bool)
	for _, id := range m.garbage {
		dropped[id] = true
	}
	for _, blocks := range v.dropped {
		blocks.Scan(func(ref *blockRef) bool {
			for _, part := range ref.parts() {
				dropped[part.ID] = true
			}
			return true
		})
	}
	for _, info := range v.stored.Blocks {
		switch {
		case used[info.ID] || info.Table == catalogID:
		case info.ID >= m.nextBlock || dropped[info.ID]:
			v.report.Garbage++
		case info.Table != quarantineTable && v.version.contents(info.Table) != nil:
			v.findBlock(BlocksOverlap, info, "another block begins with the same key")
		}
	}
	return nil
}

// findBlock reports a problem with a block.
func (v *verifier) findBlock(kind ProblemKind, info BlockInfo, format string, args ...any) {
	d := v.version.corruptBlock(info, fmt.Errorf("%w: %w", ErrCorrupt, fmt.Errorf(format, args...)))
	v.find(Problem{Kind: kind, Account: d.Account, Table: d.Table, Block: info.ID, Err: d.Err})
}

// catalog checks the entries of accounts and tables.
func (v *verifier) catalog() error {
	account, ids := "", make(map[TableID]bool)
	v.version.contents(catalogID).changes.Scan(func(e *odata.Entity) bool {
		f := Problem{Kind: BadName, Account: e.PartitionKey, Table: e.RowKey}
		switch {
		case isTable(e):
			if !isHolder(e.PartitionKey) {
				v.report.Tables++
			}
			f.Err = v.checkTable(e, e.PartitionKey == account, ids)
		case isAccount(e) && isHolder(e.PartitionKey):
			account = e.PartitionKey
			if a := accountOfHolder(account); v.version.contents(catalogID).account(a) == nil {
				f.Err = fmt.Errorf("snapshot of %q: %w", a, ErrAccountNotFound)
			}
		case isAccount(e):
			v.report.Accounts++
			account = e.PartitionKey
			if a := accountOf(e); !odata.CheckAccountName(a.Name) || a.Access > OpenAccess {
				f.Err = ErrAccountInvalid
			}
		}
		if f.Err == nil && e.Timestamp > v.stamp {
			f.Kind, f.Err = BadEntity, v.future(e)
		}
		if f.Err == nil {
			f.Kind, f.Err = BadDocument, v.checkDocument(e)
		}
		if f.Err != nil {
			v.find(f)
		}
		return true
	})
	return v.ctx.Err()
}

// checkTable reports what is wrong with a table's entry.
func (v *verifier) checkTable(e *odata.Entity, hasAccount bool, ids map[TableID]bool) error {
	name, id := tableNameOf(e), tableIDOf(e)
	if err := odata.CheckCosmosTableName(name); err != nil {
		return err
	}
	again := ids[id]
	ids[id] = true
	switch {
	case !hasAccount:
		return ErrAccountNotFound
	case strings.ToLower(name) != e.RowKey:
		return fmt.Errorf("%w: its entry is that of %q", ErrCorrupt, e.RowKey)
	case id == catalogID || id == quarantineTable || again:
		return fmt.Errorf("%w: identity %d is taken", ErrCorrupt, id)
	}
	return nil
}

func (v *verifier) checkDocument(e *odata.Entity) error {
	name, check := accountProperties, v.options.Properties
	if isTable(e) {
		name, check = tablePolicies, v.options.Policies
	}
	if text, _ := e.Property(name); check != nil && text.Text() != "" {
		return check(text.Text())
	}
	return nil
}

// tables checks every table.
func (v *verifier) tables() (err error) {
	v.version.contents(catalogID).changes.Scan(func(e *odata.Entity) bool {
		if c := v.version.contents(tableIDOf(e)); isTable(e) && c != nil {
			t := tableVerifier{verifier: v, account: e.PartitionKey, name: tableNameOf(e), contents: c, hidden: isHolder(e.PartitionKey)}
			err = t.walk()
		}
		return err == nil
	})
	return err
}
