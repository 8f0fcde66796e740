package native

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"sandtable/server/faults"
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

// TestRetriesInATest: with a seed, the SDK's three retries end the same way in every
// run; an insert whose answer is lost meets its own entity.
func TestRetriesInATest(t *testing.T) {
	t.Parallel()
	run := func() (outcomes []string, state faults.State) {
		server := sandtabletest.Start(t)
		options := &aztables.ClientOptions{ClientOptions: policy.ClientOptions{Retry: policy.RetryOptions{RetryDelay: time.Millisecond, MaxRetryDelay: 2 * time.Millisecond}}}
		service, err := aztables.NewServiceClientFromConnectionString(server.ConnectionString(), options)
		if err != nil {
			t.Fatal(err)
		}
		client := service.NewClient("Orders")
		if _, err := client.CreateTable(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		server.SetFaults(t, 20261120,
			faults.Rule{Operation: "Insert Entity", Effect: faults.ServerBusy, Share: 0.2},
			faults.Rule{Operation: "Insert Entity", Effect: faults.AnswerLost, Share: 0.1})
		for i := range 60 {
			_, err := client.AddEntity(t.Context(), fmt.Appendf(nil, `{"PartitionKey":"p","RowKey":"%d"}`, i), nil)
			var refused *azcore.ResponseError
			switch {
			case err == nil:
				outcomes = append(outcomes, "inserted")
			case errors.As(err, &refused):
				outcomes = append(outcomes, refused.ErrorCode)
			default:
				outcomes = append(outcomes, err.Error())
			}
		}
		return outcomes, server.Faults()
	}
	first, state := run()
	second, _ := run()
	if !slices.Equal(first, second) {
		t.Errorf("two runs differ:\n%q\n%q", first, second)
	}
	conflicts := 0
	for _, outcome := range first {
		switch outcome {
		case "EntityAlreadyExists":
			conflicts++
		case "inserted":
		default:
			t.Errorf("an insert ended with %s", outcome)
		}
	}
	// The answer to a retry may be lost, too: then there are fewer conflicts.
	if busy, lost := state.Counts[0].Hit, state.Counts[1].Hit; busy < 5 || lost < 2 || conflicts < 2 || conflicts > int(lost) {
		t.Errorf("%d refused, %d lost, %d conflicts", busy, lost, conflicts)
	}
}
