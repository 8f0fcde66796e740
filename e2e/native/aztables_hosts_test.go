package native

import (
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// TestCosmosHosts uses Cosmos DB's host names, for which the SDK encodes merges
// differently and the size limits are doubled.
func TestCosmosHosts(t *testing.T) {
	server := listen(t)
	for _, suffix := range []string{".table.cosmos.azure.com", ".table.cosmosdb.azure.com"} {
		t.Run(suffix, func(t *testing.T) {
			service := server.service(t, "http://"+server.account+suffix, server.found())
			client := service.NewClient("Cosmos" + strings.ReplaceAll(suffix, ".", ""))
			_, err := client.CreateTable(t.Context(), nil)
			wantCode(t, err, "done")
			added, err := client.AddEntity(t.Context(), entity("p", "r", map[string]any{"a": 1}), nil)
			wantCode(t, err, "done")
			_, err = client.UpdateEntity(t.Context(), entity("p", "r", map[string]any{"b": 2}), &aztables.UpdateEntityOptions{UpdateMode: aztables.UpdateModeMerge, IfMatch: &added.ETag})
			wantCode(t, err, "done")
			_, err = client.UpdateEntity(t.Context(), entity("p", "r", map[string]any{"b": 3}), &aztables.UpdateEntityOptions{UpdateMode: aztables.UpdateModeMerge, IfMatch: &added.ETag})
			wantCode(t, err, "412 UpdateConditionNotSatisfied")
			_, err = client.UpsertEntity(t.Context(), entity("p", "r", map[string]any{"c": 3}), nil)
			wantCode(t, err, "done")
			merge := action(t, aztables.TransactionTypeInsertMerge, "r", 4)
			_, err = client.SubmitTransaction(t.Context(), []aztables.TransactionAction{merge, action(t, aztables.TransactionTypeAdd, "s", 5)}, nil)
			wantCode(t, err, "done")
			if got := get(t, client, "p", "r"); len(got.Properties) != 4 {
				t.Errorf("merged: %v", got.Properties)
			}
			large := map[string]any{}
			for _, name := range strings.Split("abcdefghijklmnopqrstuvwx", "") {
				large[name] = strings.Repeat("x", 32000)
			}
			_, err = client.UpsertEntity(t.Context(), entity("p", "large", large), &aztables.UpsertEntityOptions{UpdateMode: aztables.UpdateModeReplace})
			wantCode(t, err, "done")
			page, err := client.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: to.Ptr("RowKey eq 's'")}).NextPage(t.Context())
			if err != nil || len(page.Entities) != 1 {
				t.Errorf("%d entities, %v", len(page.Entities), err)
			}
		})
	}
}

// TestTableBeingDeleted blocks the names of deleted tables for a while, as the
// service does.
func TestTableBeingDeleted(t *testing.T) {
	server := listen(t, "-table-deletion", "1h")
	client := server.service(t, server.path, nil).NewClient("Deleted")
	_, err := client.CreateTable(t.Context(), nil)
	wantCode(t, err, "done")
	_, err = client.Delete(t.Context(), nil)
	wantCode(t, err, "done")
	_, err = client.CreateTable(t.Context(), nil)
	wantCode(t, err, "409 "+string(aztables.TableBeingDeleted))
	_, err = client.AddEntity(t.Context(), entity("p", "r", nil), nil)
	wantCode(t, err, "409 "+string(aztables.TableBeingDeleted))
}
