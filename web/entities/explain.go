package entities

import (
	"fmt"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/ui"
)

func (p *Page) drawExplain() app.UI {
	r := p.results
	if !r.held || r.explain.Kind == "" {
		return app.Div().Hidden(true)
	}
	return ui.Explain(ui.Explanation{
		Kind: r.explain.Kind, Returned: r.explain.Returned, Examined: r.explain.Examined, Blocks: r.explain.Blocks,
		Elapsed: milliseconds(r.elapsed), Advice: advice(r.explain.Kind, r.asked.Arg(filterArg)),
	})
}

func milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// advice says in one sentence which key would have made a query read less.
// Without a filter everything was wanted, and there is nothing to say.
func advice(kind, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	switch kind {
	case "table scan":
		return "The filter names no single PartitionKey, so every partition is searched. Add PartitionKey eq '…' to read only one."
	case "partition scan":
		return "The filter names no RowKey, so the whole partition is searched. Add RowKey eq '…', or RowKey ge '…' and RowKey lt '…', to read a part of it."
	}
	return ""
}
