package access

import (
	"strconv"
	"strings"
	"time"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/sas"
	"sandtable/web/ui"
)

var languages = []ui.Choice{{Value: "js", Label: "JavaScript"}, {Value: "go", Label: "Go"}, {Value: "python", Label: "Python"}, {Value: "csharp", Label: "C#"}, {Value: "java", Label: "Java"}}

// linkLife is how long the signature is valid that is made for a connected account.
const linkLife = 7 * 24 * time.Hour

// connectionOf returns how a program reaches a connected account: with the SAS
// that it has, or one that its key signs.
func connectionOf(r client.Remote, now time.Time) control.Connection {
	link := r.SAS
	if key, err := sas.DecodeKey(r.Key); err == nil {
		link = sas.Query(sas.Token{Account: r.Account, Permissions: sas.AccountPermissions, ResourceTypes: sas.ResourceTypes,
			Expiry: sas.FormatTime(now.Add(linkLife).Truncate(time.Minute))}.Signed(key))
	}
	address := r.Endpoint + "/"
	return control.Connection{Account: r.Account, Endpoint: r.Endpoint, SAS: link,
		ConnectionString: "TableEndpoint=" + address + ";SharedAccessSignature=" + link, SASURL: address + r.Table + "?" + link}
}

// code returns a program that uses an account. Only that for JavaScript contains
// the connection string: the others run elsewhere, where it is another one.
func code(language string, c control.Connection, table string) string {
	name := strconv.Quote(table)
	switch language {
	case "go":
		return `service, err := aztables.NewServiceClientFromConnectionString(os.Getenv("CONNECTION_STRING"), nil)
if err != nil {
	log.Fatal(err)
}
_, err = service.NewClient(` + name + `).UpsertEntity(ctx, []byte(` + "`" + `{"PartitionKey":"EU-West","RowKey":"0001","Name":"Amara"}` + "`" + `), nil)
`
	case "python":
		return `import os
from azure.data.tables import TableClient

table = TableClient.from_connection_string(os.environ["CONNECTION_STRING"], ` + name + `)
table.upsert_entity({"PartitionKey": "EU-West", "RowKey": "0001", "Name": "Amara"})
for entity in table.query_entities("PartitionKey eq 'EU-West'"):
    print(entity)
`
	case "csharp":
		return `var connection = Environment.GetEnvironmentVariable("CONNECTION_STRING");
var table = new TableClient(connection, ` + name + `);
await table.UpsertEntityAsync(new TableEntity("EU-West", "0001") { ["Name"] = "Amara" });
await foreach (var entity in table.QueryAsync<TableEntity>("PartitionKey eq 'EU-West'"))
    Console.WriteLine(entity["Name"]);
`
	case "java":
		return `TableClient table = new TableClientBuilder()
    .connectionString(System.getenv("CONNECTION_STRING"))
    .tableName(` + name + `)
    .buildClient();
table.upsertEntity(new TableEntity("EU-West", "0001").addProperty("Name", "Amara"));
`
	}
	return example(c, table)
}

// example returns a program that uses an account with the SDK for JavaScript.
func example(c control.Connection, table string) string {
	options := ""
	if strings.HasPrefix(c.Endpoint, "http:") {
		options = "  { allowInsecureConnection: true },\n"
	}
	create := "await table.createTable(); // does nothing if the table exists\n"
	if strings.Contains("&"+c.SAS, "&tn=") { // a link to one table creates none
		create = ""
	}
	return `import { TableClient } from "@azure/data-tables";

const table = TableClient.fromConnectionString(
  ` + strconv.Quote(c.ConnectionString) + `,
  ` + strconv.Quote(table) + ",\n" + options + `);

` + create + `await table.upsertEntity({
  partitionKey: "EU-West", rowKey: "0001", name: "Amara", age: 21,
});
const queryOptions = { filter: "PartitionKey eq 'EU-West'" };
for await (const entity of table.listEntities({ queryOptions })) {
  console.log(entity);
}
`
}
