package access

import (
	"strings"
	"testing"

	"sandtable/web/client"
)

func TestExample(t *testing.T) {
	text := example(client.Connection{ConnectionString: `TableEndpoint=https://x;SharedAccessSignature=sv=1&sig="`}, "Sensors")
	for _, part := range []string{`"TableEndpoint=https://x;SharedAccessSignature=sv=1&sig=\""`, `"Sensors"`, "TableClient.fromConnectionString("} {
		if !strings.Contains(text, part) {
			t.Errorf("the example lacks %s:\n%s", part, text)
		}
	}
}
