package payload

import (
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

const (
	oldDeclaration = `<?xml version="1.0" encoding="utf-8" standalone="yes"?>` + "\n"
	oldRoot        = ` xml:base="https://A.table.core.windows.net/" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"` +
		` xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"`
	oldSpace  = ` xmlns="http://www.w3.org/2005/Atom"`
	oldScheme = ` scheme="http://schemas.microsoft.com/ado/2007/08/dataservices/scheme"`
)

const oldEntity = `
  <id>https://A.table.core.windows.net/T(PartitionKey='pk',RowKey='rk')</id>
  <title type="text"></title>
  <updated>2017-02-16T03:48:16Z</updated>
  <author>
    <name />
  </author>
  <link rel="edit" title="T" href="T(PartitionKey='pk',RowKey='rk')" />
  <category term="A.T"` + oldScheme + ` />
  <content type="application/xml">
    <m:properties>
      <d:age m:type="Edm.Int64">39</d:age>
      <d:sex>male</d:sex>
      <d:xyz m:null="true" />
    </m:properties>
  </content>
</entry>`

const oldTable = `
  <id>https://A.table.core.windows.net/Tables('abc')</id>
  <title type="text"></title>
  <updated>2017-02-16T03:48:16Z</updated>
  <author>
    <name />
  </author>
  <link rel="edit" title="Tables" href="Tables('abc')" />
  <category term="A.Tables"` + oldScheme + ` />
  <content type="application/xml">
    <m:properties>
      <d:TableName>abc</d:TableName>
    </m:properties>
  </content>
</entry>`

const (
	oldFeed = oldDeclaration + "<feed" + oldRoot + oldSpace + `>
  <title type="text">Tables</title>
  <id>https://A.table.core.windows.net/Tables</id>
  <updated>2017-02-16T03:48:16Z</updated>`
	oldAuthor = `
  <author>
    <name />
  </author>`
	oldLink = `
  <link rel="self" title="Tables" href="Tables" />`
)

// TestOldAtom: before 2013-08-15 the order differs, and there is white space.
func TestOldAtom(t *testing.T) {
	a := atomSelecting(t, "sex,age,xyz")
	a.Old = true
	inFeed := func(entry string) string { return strings.ReplaceAll(entry, "\n", "\n  ") }
	e := sample(t)
	tests := []struct{ name, got, want string }{
		{"table", string(a.AppendTable(nil, "abc")), oldDeclaration + "<entry" + oldRoot + oldSpace + ">" + oldTable},
		{"no tables", string(a.AppendTables(nil, nil)), oldFeed + oldAuthor + oldLink + "\n</feed>"},
		{"tables", string(a.AppendTables(nil, []string{"abc", "abc"})), oldFeed + oldLink + inFeed("\n<entry>"+oldTable+"\n<entry>"+oldTable) + "\n</feed>"},
		{"entity", string(a.AppendEntity(nil, "T", e)), oldDeclaration + "<entry" + oldRoot + wantETag + oldSpace + ">" + oldEntity},
		{"entities", string(a.AppendEntities(nil, "T", slices.Values([]*odata.Entity{e, e}))),
			strings.NewReplacer(">Tables", ">T", "/Tables", "/T", `"Tables`, `"T`).Replace(oldFeed+oldLink) +
				inFeed("\n<entry"+wantETag+">"+oldEntity+"\n<entry"+wantETag+">"+oldEntity) + "\n</feed>"},
		{"error", string(AppendAtomError(nil, true, "InvalidInput", "a<b\nc")), oldDeclaration +
			`<error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">
  <code>InvalidInput</code>
  <message xml:lang="en-US">a&lt;b` + "\x00" + `c</message>
</error>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// Only the text of an error has line feeds of its own.
			want := strings.NewReplacer("\n", "\r\n", "\x00", "\n").Replace(tt.want)
			if tt.got != want {
				t.Errorf("got\n%q, want\n%q", tt.got, want)
			}
			wellFormed(t, tt.got)
		})
	}
}
