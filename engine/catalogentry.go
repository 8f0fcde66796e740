package engine

import (
	"bytes"
	"strings"

	"sandtable/odata"
)

// catalogID is the table that lists the accounts and all other tables. An
// account is the entity (name, ""), a table (account, lower-cased name): so an
// account sorts before its tables, and tables sort as in the service.
const catalogID TableID = 0

// The properties of the catalog's entities. They are part of the format: names and
// types do not change, and properties may be added.
const (
	accountKey1       = "Key1"
	accountKey2       = "Key2"
	accountAccess     = "Access"
	accountProperties = "Properties"
	tableName         = "Name"
	tableID           = "Id"
	tablePolicies     = "Policies"
)

// Access says whether an account accepts unsigned requests.
type Access uint8

// The levels of access.
const (
	// StrictAccess requires a signature or a token, as the service does.
	StrictAccess Access = iota
	// OpenAccess accepts unsigned requests too; every signature present is checked.
	OpenAccess
)

// String returns "strict" or "open".
func (a Access) String() string {
	if a == OpenAccess {
		return "open"
	}
	return "strict"
}

// Account is a storage account.
type Account struct {
	Name   string    // 3 to 24 lower-case letters and digits
	Keys   [2][]byte // the primary and the secondary key; nil for none
	Access Access
	// Properties is the document of the account's service properties, which is
	// opaque to the engine; "" for a new account.
	Properties string
}

func (a Account) equal(b Account) bool {
	return a.Access == b.Access && a.Properties == b.Properties &&
		bytes.Equal(a.Keys[0], b.Keys[0]) && bytes.Equal(a.Keys[1], b.Keys[1])
}

func accountEntity(a Account, stamp odata.DateTime) *odata.Entity {
	e := &odata.Entity{PartitionKey: strings.Clone(a.Name), Timestamp: stamp, Properties: []odata.Property{
		{Name: accountKey1, Value: odata.BinaryValue(a.Keys[0])},
		{Name: accountKey2, Value: odata.BinaryValue(a.Keys[1])},
		{Name: accountAccess, Value: odata.Int32Value(int32(a.Access))},
	}}
	if a.Properties != "" {
		e.Properties = append(e.Properties, odata.Property{
			Name: accountProperties, Value: odata.StringValue(strings.Clone(a.Properties)),
		})
	}
	return e
}

func accountOf(e *odata.Entity) Account {
	a := Account{Name: e.PartitionKey}
	for _, p := range e.Properties {
		switch p.Name {
		case accountKey1:
			a.Keys[0] = keyOf(p.Value)
		case accountKey2:
			a.Keys[1] = keyOf(p.Value)
		case accountAccess:
			a.Access = Access(p.Value.Int())
		case accountProperties:
			a.Properties = p.Value.Text()
		}
	}
	return a
}

func keyOf(v odata.Value) []byte {
	if v.Text() == "" {
		return nil
	}
	return []byte(v.Text())
}

func tableEntity(account, name string, id TableID, stamp odata.DateTime) *odata.Entity {
	return &odata.Entity{
		PartitionKey: account, RowKey: strings.Clone(strings.ToLower(name)), Timestamp: stamp,
		Properties: []odata.Property{
			{Name: tableName, Value: odata.StringValue(strings.Clone(name))},
			{Name: tableID, Value: odata.Int64Value(int64(id))},
		},
	}
}

func tableNameOf(e *odata.Entity) string {
	v, _ := e.Property(tableName)
	return v.Text()
}

func tableIDOf(e *odata.Entity) TableID {
	v, _ := e.Property(tableID)
	return TableID(v.Int())
}

// isTable reports whether an entity of the catalog is a table, not an account or
// the settings.
func isTable(e *odata.Entity) bool { return e.RowKey != "" && e.PartitionKey != "" }

// account returns the entry of an account in the catalog, nil for none.
func (c *contents) account(name string) *odata.Entity {
	e, _ := c.changes.Get(pivot(odata.Key{PartitionKey: name}))
	return e
}

func isAccount(e *odata.Entity) bool { return e.RowKey == "" }
