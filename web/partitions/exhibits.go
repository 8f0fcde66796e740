package partitions

import (
	"fmt"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/control"
	"sandtable/web/keydesign"
	"sandtable/web/ui"
)

func exhibits() []ui.Exhibit {
	return []ui.Exhibit{{Name: "Partition map", Draw: func() []app.UI {
		now := time.Unix(1795200000, 0)
		partitions, traffic := samplePartitions(), sampleTraffic(now)
		groups := keydesign.Groups(partitions.List, traffic, now)
		return []app.UI{
			drawSummary(partitions, groups), drawMap(groups, len(groups)-1, ui.Nothing, ui.Nothing), drawBusiest(traffic.Busiest(now), ui.Nothing),
			drawHistogram([]keydesign.Size{{Label: "1", Count: 2431}, {Label: "2", Count: 1702}, {Label: "5–8", Count: 790}}),
		}
	}}}
}

func samplePartitions() control.Partitions {
	l := control.Partitions{Exact: true}
	for month := range 24 {
		last := "0018204"
		n := 428 + 32*month
		l.List = append(l.List, control.Partition{Key: fmt.Sprintf("%d-%02d", 2025+month/12, month%12+1), Entities: n, Bytes: 257 * n, FirstRow: "0017039", LastRow: &last})
		l.All, l.Entities, l.Bytes = l.All+1, l.Entities+n, l.Bytes+257*n
	}
	return l
}

func sampleTraffic(now time.Time) *keydesign.Traffic {
	t := &keydesign.Traffic{Account: "devstoreaccount1", Table: "Orders"}
	for i := range 300 {
		key := "2026-12"
		if i%10 == 0 {
			key = "2026-11"
		}
		t.Wrote(control.Change{Kind: "inserted", Account: "devstoreaccount1", Table: "Orders", PartitionKey: key}, now.Add(-time.Duration(i)*100*time.Millisecond))
	}
	return t
}
