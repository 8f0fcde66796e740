// Command go-sdk is Azure's SDK for Go in a page: the same code as on a server,
// compiled to WebAssembly, its requests answered by Sandtable in the page's own
// service worker.
//
//	GOOS=js GOARCH=wasm go build -o go-sdk.wasm .
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// The account is open, as those made in a browser are: no signature is needed.
const endpoint = "https://devstoreaccount1.table.core.windows.net"

// customer has the properties of an entity by their names.
type customer struct {
	aztables.Entity
	Name string
	Age  int32
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	service, err := aztables.NewServiceClientWithNoCredential(endpoint, nil)
	if err != nil {
		return err
	}
	customers := service.NewClient("GoCustomers")
	if _, err := customers.CreateTable(ctx, nil); err != nil && !isCode(err, aztables.TableAlreadyExists) {
		return err
	}
	if err := upsert(ctx, customers, customer{keys("1"), "Amara Okafor", 21}, customer{keys("2"), "Bo Lindqvist", 17}); err != nil {
		return err
	}
	return printAdults(ctx, customers)
}

func keys(row string) aztables.Entity { return aztables.Entity{PartitionKey: "EU-West", RowKey: row} }

// upsert writes customers in one entity group transaction: all of them, or none.
func upsert(ctx context.Context, table *aztables.Client, customers ...customer) error {
	var actions []aztables.TransactionAction
	for _, c := range customers {
		entity, err := json.Marshal(c)
		if err != nil {
			return err
		}
		actions = append(actions, aztables.TransactionAction{ActionType: aztables.TransactionTypeInsertReplace, Entity: entity})
	}
	_, err := table.SubmitTransaction(ctx, actions, nil)
	return err
}

func printAdults(ctx context.Context, table *aztables.Client) error {
	filter := "PartitionKey eq 'EU-West' and Age ge 18"
	for pages := table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter}); pages.More(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, entity := range page.Entities {
			var c customer
			if err := json.Unmarshal(entity, &c); err != nil {
				return err
			}
			fmt.Println(c.RowKey, c.Name, c.Age)
		}
	}
	return nil
}

func isCode(err error, code aztables.TableErrorCode) bool {
	response, ok := err.(*azcore.ResponseError)
	return ok && response.ErrorCode == string(code)
}
