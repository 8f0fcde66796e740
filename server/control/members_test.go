package control_test

import "testing"

// TestControlMembers: what an entity may have besides its properties is refused in a
// request of the control API, as an unknown member is.
func TestControlMembers(t *testing.T) {
	for _, c := range []struct{ name, method, path, body, contains string }{
		{"an unknown null", "POST", "reset", `{"what":"all","why":null}`, `"why" is unknown or null`},
		{"a known null", "PATCH", "settings", `{"recordBodies":null}`, `"recordBodies" is unknown or null`},
		{"a null among faults", "PUT", testFaults, `{"name":null}`, `"name" is unknown or null`},
		{"a null in a rule", "PUT", testFaults, `{"rules":[{"effect":"ServerBusy","share":null}]}`, `Rule 1: The member "share" is unknown or null`},
		{"no list of rules", "PUT", testFaults, `{"rules":null}`, "rules must be a list"},
		{"a timestamp", "POST", "verify", `{"Timestamp":"2026-11-20"}`, `"Timestamp"`},
		{"metadata", "POST", "compact", `{"odata.metadata":"x"}`, `"odata.metadata"`},
		{"a type", "POST", "clock", `{"now":"2026-11-20","now@odata.type":"Edm.String"}`, `"now@odata.type"`},
		{"a type alone", "POST", "clock", `{"now@odata.type":"Edm.String"}`, `"now@odata.type"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			newFixture(t).control(c.method, c.path, c.body).wantControlError(400, "InvalidInput", c.contains)
		})
	}
}
