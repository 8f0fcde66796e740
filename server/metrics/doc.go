// Package metrics counts the requests of a server and writes the counts in the
// text format of Prometheus. A [Recorder] is a server.Observer.
//
// Source: "Exposition formats", https://prometheus.io/docs/instrumenting/exposition_formats/.
package metrics
