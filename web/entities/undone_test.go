package entities

import (
	"testing"

	"sandtable/web/bulk"
	"sandtable/web/client"
)

// TestUndoneText: only what the service refuses because it changed is said to have changed.
func TestUndoneText(t *testing.T) {
	refused := func(code string) bulk.Refused {
		return bulk.Refused{Err: &client.ServiceError{Status: 400, Code: code, Message: "No."}}
	}
	changed, gone, there := refused(client.CodeConditionNotMet), refused(client.CodeResourceNotFound), refused(client.CodeEntityAlreadyExists)
	for _, c := range []struct {
		name    string
		refused []bulk.Refused
		want    string
	}{
		{"all", nil, "Restored 0 entities"},
		{"one that changed", []bulk.Refused{changed}, "Restored 0 entities; 1 changed again and stays as it is"},
		{"those that changed", []bulk.Refused{changed, gone, there}, "Restored 0 entities; 3 changed again and stay as they are"},
		{"not allowed", []bulk.Refused{changed, refused("AuthorizationPermissionMismatch")},
			"Restored 0 entities; 1 changed again and stays as it is; 1 refused: AuthorizationPermissionMismatch: No."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := undoneText("Restored", bulk.Report{Refused: c.refused}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
