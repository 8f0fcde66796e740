package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"sandtable/odata"
	"sandtable/web/client"
	"sandtable/web/pagetest"
)

func TestTransact(t *testing.T) {
	endpoint := pagetest.Filled(3)
	c := &client.Client{Base: "http://host/table/devstoreaccount1", Transport: endpoint}
	fresh := &odata.Entity{PartitionKey: "p", RowKey: "new", Properties: []odata.Property{{Name: "Age", Value: odata.Int32Value(7)}}}
	first := endpoint.Tables["Customers"][0]
	tags, err := c.Transact(context.Background(), "Customers", []client.Operation{
		{Method: http.MethodPost, Entity: fresh}, {Method: http.MethodDelete, Entity: first, IfMatch: "*"}})
	if err != nil || len(tags) != 2 || len(endpoint.Tables["Customers"]) != 3 {
		t.Fatalf("%v, %d tags, %d entities", err, len(tags), len(endpoint.Tables["Customers"]))
	}
	_, err = c.Transact(context.Background(), "Customers", []client.Operation{
		{Method: http.MethodDelete, Entity: fresh, IfMatch: "*"}, {Method: http.MethodDelete, Entity: first, IfMatch: "*"}})
	var refused *client.OperationError
	if !errors.As(err, &refused) || refused.Index != 1 || !client.HasCode(err, client.CodeResourceNotFound) {
		t.Errorf("%#v", err)
	}
}

func TestGroup(t *testing.T) {
	var keys []odata.Key
	for i := range 250 {
		keys = append(keys, odata.Key{PartitionKey: fmt.Sprint(i % 2), RowKey: fmt.Sprint(i)})
	}
	groups := client.Group(keys)
	if len(groups) != 4 || len(groups[0]) != 100 || groups[0][1] != 2 || len(groups[3]) != 25 {
		t.Errorf("%d groups: %v", len(groups), groups)
	}
}
