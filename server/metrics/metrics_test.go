package metrics_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"sandtable/server"
	"sandtable/server/metrics"
)

func TestWrite(t *testing.T) {
	r := metrics.New(metrics.Gauge{Name: "sandtable_connections", Help: "Connections.", Value: func() float64 { return 3 }})
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			r.Finished(&server.Record{Operation: "Get Entity", Status: 200, Duration: time.Millisecond})
			r.Finished(&server.Record{Operation: "Get Entity", Status: 404, Code: "ResourceNotFound", Duration: 30 * time.Millisecond})
		})
	}
	all.Wait()
	r.Finished(&server.Record{Status: 400, Duration: time.Minute})
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# TYPE sandtable_requests_total counter\n",
		`sandtable_requests_total{operation="Get Entity",status="200",code=""} 10` + "\n",
		`sandtable_requests_total{operation="Get Entity",status="404",code="ResourceNotFound"} 10` + "\n",
		`sandtable_requests_total{operation="none",status="400",code=""} 1` + "\n",
		"# TYPE sandtable_request_duration_seconds histogram\n",
		`sandtable_request_duration_seconds_bucket{operation="Get Entity",le="0.001"} 10` + "\n",
		`sandtable_request_duration_seconds_bucket{operation="Get Entity",le="0.025"} 10` + "\n",
		`sandtable_request_duration_seconds_bucket{operation="Get Entity",le="0.05"} 20` + "\n",
		`sandtable_request_duration_seconds_bucket{operation="Get Entity",le="+Inf"} 20` + "\n",
		`sandtable_request_duration_seconds_bucket{operation="none",le="10"} 0` + "\n",
		`sandtable_request_duration_seconds_count{operation="none"} 1` + "\n",
		"# TYPE sandtable_connections gauge\nsandtable_connections 3\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}
