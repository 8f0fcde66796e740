package native

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"sandtable/server/sandtabletest"
)

// TestServerInATest uses the SDK for Go with a server that a test starts in one line.
func TestServerInATest(t *testing.T) {
	t.Parallel()
	service, err := aztables.NewServiceClientFromConnectionString(sandtabletest.Start(t).ConnectionString(), nil)
	if err != nil {
		t.Fatal(err)
	}
	client := service.NewClient("Customers")
	if _, err := client.CreateTable(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	add(t, client, aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "EU", RowKey: "1"}, Properties: map[string]any{"Age": int32(21)}})
	if got := get(t, client, "EU", "1"); got.Properties["Age"] != int32(21) {
		t.Errorf("got %v", got.Properties)
	}
}
