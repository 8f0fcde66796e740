package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

func propertyNames(e *odata.Entity) string {
	names := make([]string, len(e.Properties))
	for i, p := range e.Properties {
		names[i] = p.Name
	}
	return strings.Join(names, " ")
}

// TestConditions is the matrix of the reference's section on conditional headers.
func TestConditions(t *testing.T) {
	const stale = `W/"datetime'2001-01-01T00%3A00%3A00Z'"`
	type write func(*engine.Table, odata.Key, engine.Condition) error
	replace := func(table *engine.Table, k odata.Key, c engine.Condition) error {
		_, err := table.Replace(k, number(2), c)
		return err
	}
	merge := func(table *engine.Table, k odata.Key, c engine.Condition) error {
		_, err := table.Merge(k, number(2), c)
		return err
	}
	remove := func(table *engine.Table, k odata.Key, c engine.Condition) error { return table.Delete(k, c) }
	cases := []struct {
		name      string
		write     write
		row       string // "there" is
		condition func(etag string) engine.Condition
		want      error
	}{
		{"replace, there, none", replace, "there", always(engine.Upsert), nil},
		{"replace, there, any", replace, "there", always(engine.MustExist), nil},
		{"replace, there, equal", replace, "there", engine.IfMatch, nil},
		{"replace, there, stale", replace, "there", always(stale), engine.ErrConditionNotMet},
		{"replace, there, decoded", replace, "there", decoded, engine.ErrConditionNotMet},
		{"replace, missing, none", replace, "missing", always(engine.Upsert), nil},
		{"replace, missing, any", replace, "missing", always(engine.MustExist), engine.ErrEntityNotFound},
		{"replace, missing, stale", replace, "missing", always(stale), engine.ErrEntityNotFound},
		{"merge, there, none", merge, "there", always(engine.Upsert), nil},
		{"merge, there, equal", merge, "there", engine.IfMatch, nil},
		{"merge, there, stale", merge, "there", always(stale), engine.ErrConditionNotMet},
		{"merge, missing, none", merge, "missing", always(engine.Upsert), nil},
		{"merge, missing, any", merge, "missing", always(engine.MustExist), engine.ErrEntityNotFound},
		{"delete, there, none", remove, "there", always(engine.Upsert), nil},
		{"delete, there, any", remove, "there", always(engine.MustExist), nil},
		{"delete, there, equal", remove, "there", engine.IfMatch, nil},
		{"delete, there, stale", remove, "there", always(stale), engine.ErrConditionNotMet},
		{"delete, missing, none", remove, "missing", always(engine.Upsert), engine.ErrEntityNotFound},
		{"delete, missing, stale", remove, "missing", always(stale), engine.ErrEntityNotFound},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			db := openMemory(t, engine.Options{})
			createTable(t, db, "Table")
			var etag string
			update(t, db, inTable("Table", func(table *engine.Table) error {
				e, err := table.Insert(key("p", "there"), number(1))
				etag = e.ETag()
				return err
			}))
			err := db.Update(inTable("Table", func(table *engine.Table) error {
				return c.write(table, key("p", c.row), c.condition(etag))
			}))
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func always(c engine.Condition) func(string) engine.Condition {
	return func(string) engine.Condition { return c }
}

func decoded(etag string) engine.Condition {
	return engine.IfMatch(strings.ReplaceAll(etag, "%3A", ":"))
}

func TestPropertyOrder(t *testing.T) {
	given := func(names ...string) (p []odata.Property) {
		for i, name := range names {
			p = append(p, odata.Property{Name: name, Value: odata.Int32Value(int32(i))})
		}
		return p
	}
	cases := []struct {
		name  string
		write func(*engine.Table) (*odata.Entity, error)
		want  string
	}{
		{"insert keeps the order", func(table *engine.Table) (*odata.Entity, error) {
			return table.Insert(key("p", "new"), given("b", "a", "c"))
		}, "b a c"},
		{"replace sorts", func(table *engine.Table) (*odata.Entity, error) {
			return table.Replace(key("p", "r"), given("y", "x"), engine.MustExist)
		}, "x y"},
		{"merge sorts all", func(table *engine.Table) (*odata.Entity, error) {
			return table.Merge(key("p", "r"), given("y", "m"), engine.MustExist)
		}, "a m y z"},
		{"merge into nothing sorts", func(table *engine.Table) (*odata.Entity, error) {
			return table.Merge(key("p", "new"), given("y", "m"), engine.Upsert)
		}, "m y"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			db := openMemory(t, engine.Options{})
			createTable(t, db, "Table")
			update(t, db, inTable("Table", func(table *engine.Table) error {
				_, err := table.Insert(key("p", "r"), given("z", "a"))
				must(t, err)
				e, err := c.write(table)
				if err == nil && propertyNames(e) != c.want {
					t.Errorf("properties are %q, want %q", propertyNames(e), c.want)
				}
				return err
			}))
		})
	}
}

func TestEntityLimits(t *testing.T) {
	many := func(prefix string, n int) (p []odata.Property) {
		for i := range n {
			p = append(p, odata.Property{Name: fmt.Sprint(prefix, i), Value: odata.BooleanValue(true)})
		}
		return p
	}
	large := func(prefix string, n int) (p []odata.Property) {
		for i := range n {
			p = append(p, odata.Property{Name: fmt.Sprint(prefix, i), Value: odata.BinaryValue(make([]byte, odata.MaxBinaryLength))})
		}
		return p
	}
	cases := []struct {
		name          string
		stored, given []odata.Property
		want          error
	}{
		{"252 properties", nil, many("p", 252), nil},
		{"253 properties", nil, many("p", 253), odata.ErrTooManyProperties},
		{"252 properties after a merge", many("p", 200), many("q", 52), nil},
		{"253 properties after a merge", many("p", 200), many("q", 53), odata.ErrTooManyProperties},
		{"the same properties again", many("p", 252), many("p", 252), nil},
		{"under 1 MiB", nil, large("p", 15), nil},
		{"over 1 MiB", nil, large("p", 16), odata.ErrEntityTooLarge},
		{"over 1 MiB after a merge", large("p", 8), large("q", 8), odata.ErrEntityTooLarge},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			db := openMemory(t, engine.Options{})
			createTable(t, db, "Table")
			update(t, db, inTable("Table", func(table *engine.Table) error {
				_, err := table.Insert(key("p", "r"), c.stored)
				return err
			}))
			err := db.Update(inTable("Table", func(table *engine.Table) error {
				_, err := table.Merge(key("p", "r"), c.given, engine.Upsert)
				return err
			}))
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestInsertExisting(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Table")
	insert := inTable("Table", func(table *engine.Table) error {
		_, err := table.Insert(key("", ""), number(1))
		return err
	})
	update(t, db, insert)
	if err := db.Update(insert); !errors.Is(err, engine.ErrEntityExists) {
		t.Errorf("second insert: %v", err)
	}
}

// TestEntityOwnsItsTexts overwrites the memory of the strings in a request.
func TestEntityOwnsItsTexts(t *testing.T) {
	db := openMemory(t, engine.Options{})
	createTable(t, db, "Table")
	text := strings.Repeat("x", 10_000) // stands for a request body
	properties := []odata.Property{
		{Name: text[:3], Value: odata.StringValue(text[:4])},
		{Name: "G", Value: odata.GuidValue(odata.Guid{7})},
		{Name: "B", Value: odata.BinaryText(text[:2])},
	}
	var stored *odata.Entity
	update(t, db, inTable("Table", func(table *engine.Table) (err error) {
		stored, err = table.Insert(key(text[:5], text[:6]), properties)
		return err
	}))
	if !slices.Equal(stored.Properties, properties) {
		t.Errorf("stored %v, given %v", stored.Properties, properties)
	}
	properties[0] = odata.Property{Name: "changed"}
	if stored.Properties[0].Name != "xxx" {
		t.Error("the entity shares the caller's slice")
	}
}
