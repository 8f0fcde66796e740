package control_test

import (
	"encoding/json"
	"testing"
)

// TestClockExpiresSAS: setting the clock makes a SAS expire, and setting it back
// makes the same SAS valid again.
func TestClockExpiresSAS(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	var issued struct{ SAS string }
	answer := f.control("POST", "accounts/devstoreaccount1/sas", `{"table":"things","permissions":"r","expiresOn":"2026-11-20T19:00:00Z"}`).wantStatus(200)
	if err := json.Unmarshal([]byte(answer.body), &issued); err != nil {
		t.Fatal(err)
	}
	f.control("GET", "clock", "").wantBody(`{"now":"2026-11-20T18:44:02Z","offset":0}`)
	f.do("GET", "/things()?"+issued.SAS, "").wantStatus(200)
	f.control("POST", "clock", `{"now":"2026-11-20T19:00:02Z"}`).wantStatus(200).wantBody(`{"now":"2026-11-20T19:00:02Z","offset":960}`)
	f.do("GET", "/things()?"+issued.SAS, "").wantStatus(403)
	f.control("POST", "clock", `{}`).wantStatus(200).wantBody(`{"now":"2026-11-20T18:44:02Z","offset":0}`)
	f.do("GET", "/things()?"+issued.SAS, "").wantStatus(200)
	f.control("POST", "clock", `{"now":"9999-01-01T00:00:00Z"}`).wantStatus(400)
	f.control("POST", "clock", `{"now":"soon"}`).wantStatus(400)
	f.control("POST", "clock", `{"then":"2026-11-20T19:00:02Z"}`).wantStatus(400)
}
