package grid

import (
	"strconv"
	"testing"
	"time"

	"sandtable/odata"
)

func TestTicks(t *testing.T) {
	ticks := int64(odata.DateTimeOf(time.Date(2026, 11, 20, 18, 44, 2, 173_041_200, time.UTC)))
	for text, want := range map[string]string{
		strconv.FormatInt(ticks, 10):                                "2026-11-20T18:44:02.1730412Z as ticks",
		strconv.FormatInt(int64(odata.MaxDateTime)-ticks, 10):       "2026-11-20T18:44:02.1730412Z as reverse ticks",
		"0" + strconv.FormatInt(int64(odata.MaxDateTime)-ticks, 10): "2026-11-20T18:44:02.1730412Z as reverse ticks",
		"599266080000000000":                                        "1900-01-01T00:00:00Z as ticks",
		"599266079999999999":                                        "",
		"693937151999999999":                                        "2199-12-31T23:59:59.9999999Z as ticks",
		"693937152000000000":                                        "",
		"9007199254740993":                                          "",
		"63924000000000000a":                                        "",
		"-639240000000000000":                                       "",
	} {
		if got := TicksOfText(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
