package native

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// TestModes updates and upserts in every mode that the SDK names.
func TestModes(t *testing.T) {
	client := table(t)
	for _, mode := range aztables.PossibleUpdateModeValues() {
		t.Run(string(mode), func(t *testing.T) {
			rk := string(mode)
			missing := entity("p", rk, nil)
			_, err := client.UpdateEntity(t.Context(), missing, &aztables.UpdateEntityOptions{UpdateMode: mode})
			wantCode(t, err, "404 ResourceNotFound")
			_, err = client.UpsertEntity(t.Context(), entity("p", rk, map[string]any{"old": 1}), &aztables.UpsertEntityOptions{UpdateMode: mode})
			wantCode(t, err, "done")
			made := get(t, client, "p", rk)
			upserted, err := client.UpsertEntity(t.Context(), entity("p", rk, map[string]any{"upserted": 1}), &aztables.UpsertEntityOptions{UpdateMode: mode})
			wantCode(t, err, "done")
			updated, err := client.UpdateEntity(t.Context(), entity("p", rk, map[string]any{"updated": 1}),
				&aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: &upserted.ETag})
			wantCode(t, err, "done")
			got := get(t, client, "p", rk)
			want := map[aztables.UpdateMode]int{aztables.UpdateModeMerge: 3, aztables.UpdateModeReplace: 1}[mode]
			if len(got.Properties) != want || got.ETag != string(updated.ETag) || made.ETag == got.ETag {
				t.Errorf("got %+v after %s, want %d properties", got, updated.ETag, want)
			}
		})
	}
}

// TestTransactionTypes applies every operation type of the SDK to an existing and
// to a missing entity.
func TestTransactionTypes(t *testing.T) {
	client := table(t)
	want := map[aztables.TransactionType][2]string{
		aztables.TransactionTypeAdd:           {"409 EntityAlreadyExists", "done"},
		aztables.TransactionTypeUpdateMerge:   {"done", "404 ResourceNotFound"},
		aztables.TransactionTypeUpdateReplace: {"done", "404 ResourceNotFound"},
		aztables.TransactionTypeInsertMerge:   {"done", "done"},
		aztables.TransactionTypeInsertReplace: {"done", "done"},
		aztables.TransactionTypeDelete:        {"done", "404 ResourceNotFound"},
	}
	for _, kind := range aztables.PossibleTransactionTypeValues() {
		there, missing := string(kind), string(kind)+" of none"
		add(t, client, aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "p", RowKey: there}})
		for i, rk := range []string{there, missing} {
			// With a second operation the error contains the index, which a single one omits.
			companion := aztables.TransactionAction{ActionType: aztables.TransactionTypeInsertMerge, Entity: entity("p", "companion", nil)}
			operation := action(t, kind, rk, 7)
			if strings.HasPrefix(string(kind), "update") {
				operation.IfMatch = to.Ptr(azcore.ETagAny) // without it the SDK upserts
			}
			_, err := client.SubmitTransaction(t.Context(), []aztables.TransactionAction{companion, operation}, nil)
			got := code(err)
			if err != nil {
				got = innerCode(err)
			}
			if expect := want[kind][i]; got != expect {
				t.Errorf("%s: got %s, want %s", rk, got, expect)
			}
		}
	}
	stale := to.Ptr(azcore.ETag(`W/"datetime'2020-01-01T00%3A00%3A00Z'"`))
	for _, kind := range []aztables.TransactionType{aztables.TransactionTypeUpdateMerge, aztables.TransactionTypeUpdateReplace, aztables.TransactionTypeDelete} {
		late := action(t, kind, string(aztables.TransactionTypeAdd), 8)
		late.IfMatch = stale
		_, err := client.SubmitTransaction(t.Context(), []aztables.TransactionAction{action(t, aztables.TransactionTypeAdd, "never", 1), late}, nil)
		if got := innerCode(err); got != "412 UpdateConditionNotSatisfied" {
			t.Errorf("%s with a stale tag: %s", kind, got)
		}
	}
	_, err := client.GetEntity(t.Context(), "p", "never", nil)
	wantCode(t, err, "404 ResourceNotFound")
}

// innerCode extracts the status and code of a transaction's failed operation,
// which the SDK only gives as text.
func innerCode(err error) string {
	var failed *azcore.ResponseError
	if !errors.As(err, &failed) {
		return fmt.Sprint(err)
	}
	_, part, _ := strings.Cut(err.Error(), "HTTP/1.1 ")
	status, _, _ := strings.Cut(part, " ")
	_, part, _ = strings.Cut(part, `"code": "`)
	if part == "" {
		_, part, _ = strings.Cut(err.Error(), `"code":"`)
	}
	name, _, _ := strings.Cut(part, `"`)
	return status + " " + name
}
