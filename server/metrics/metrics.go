package metrics

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"sandtable/server"
)

// ContentType is that of what [Recorder.Write] writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// bounds are the upper ends of the duration's buckets.
var bounds = [...]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
}

// Gauge is a value that is read when the metrics are written.
type Gauge struct {
	Name, Help string
	Value      func() float64
}

// Recorder counts requests. It is safe for concurrent use.
type Recorder struct {
	gauges []Gauge

	mu        sync.Mutex
	requests  map[outcome]int64
	durations map[string]*histogram // by operation
}

// outcome is what requests are counted by. There are few of each.
type outcome struct {
	operation string
	status    int
	code      string
}

type histogram struct {
	buckets [len(bounds)]int64
	count   int64
	sum     time.Duration
}

// New returns a recorder that writes these gauges, too.
func New(gauges ...Gauge) *Recorder {
	return &Recorder{gauges: gauges, requests: map[outcome]int64{}, durations: map[string]*histogram{}}
}

// Finished implements [server.Observer].
func (r *Recorder) Finished(record *server.Record) {
	operation := cmp.Or(record.Operation, "none")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests[outcome{operation, record.Status, record.Code}]++
	h := r.durations[operation]
	if h == nil {
		h = new(histogram)
		r.durations[operation] = h
	}
	h.count++
	h.sum += record.Duration
	if i, _ := slices.BinarySearch(bounds[:], record.Duration); i < len(bounds) {
		h.buckets[i]++
	}
}

// Write writes all metrics.
func (r *Recorder) Write(w io.Writer) error {
	var b bytes.Buffer
	r.mu.Lock()
	r.writeRequests(&b)
	r.writeDurations(&b)
	r.mu.Unlock()
	for _, g := range r.gauges {
		header(&b, g.Name, "gauge", g.Help)
		fmt.Fprintf(&b, "%s %g\n", g.Name, g.Value())
	}
	_, err := w.Write(b.Bytes())
	return err
}

func header(b *bytes.Buffer, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %[1]s %[3]s\n# TYPE %[1]s %[2]s\n", name, kind, help)
}

func (r *Recorder) writeRequests(b *bytes.Buffer) {
	const name = "sandtable_requests_total"
	header(b, name, "counter", "Finished requests by operation, status and error code.")
	sorted := slices.SortedFunc(maps.Keys(r.requests), func(x, y outcome) int {
		return cmp.Or(cmp.Compare(x.operation, y.operation), cmp.Compare(x.status, y.status), cmp.Compare(x.code, y.code))
	})
	for _, o := range sorted {
		fmt.Fprintf(b, "%s{operation=%q,status=\"%d\",code=%q} %d\n", name, o.operation, o.status, o.code, r.requests[o])
	}
}

func (r *Recorder) writeDurations(b *bytes.Buffer) {
	const name = "sandtable_request_duration_seconds"
	header(b, name, "histogram", "How long requests took, from their headers to the end of the response.")
	for _, operation := range slices.Sorted(maps.Keys(r.durations)) {
		h := r.durations[operation]
		total := int64(0)
		for i, bound := range bounds {
			total += h.buckets[i]
			fmt.Fprintf(b, "%s_bucket{operation=%q,le=\"%g\"} %d\n", name, operation, bound.Seconds(), total)
		}
		fmt.Fprintf(b, "%s_bucket{operation=%q,le=\"+Inf\"} %d\n", name, operation, h.count)
		fmt.Fprintf(b, "%s_sum{operation=%q} %g\n", name, operation, h.sum.Seconds())
		fmt.Fprintf(b, "%s_count{operation=%q} %d\n", name, operation, h.count)
	}
}
