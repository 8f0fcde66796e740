package transfer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strconv"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/tabular"
	"sandtable/web/ui"
)

// refusedProblem describes a row that the service refused.
func refusedProblem(refused bulk.Refused) tabular.Problem {
	problem := tabular.Problem{Line: refused.Line, Column: keyText(refused.Entity.Key()), Text: refused.Err.Error()}
	var known *client.ServiceError
	if errors.As(refused.Err, &known) {
		problem.Text, problem.Reason = known.Message, known.Code
	}
	return problem
}

func keyText(k odata.Key) string { return k.PartitionKey + " / " + k.RowKey }

// reportFile is the report of a run as CSV: a record for each row that was not
// written, by line.
func reportFile(r *run) []byte {
	type record struct {
		line   int
		fields []string
	}
	var all []record
	add := func(line int, result, key, reason, text string) {
		all = append(all, record{line, []string{strconv.Itoa(line), result, key, reason, text}})
	}
	for _, p := range r.problems {
		add(p.Line, "skipped", p.Column, p.Reason, p.Text)
	}
	for _, refused := range r.report.Refused {
		p := refusedProblem(refused)
		add(p.Line, "refused", p.Column, p.Reason, p.Text)
	}
	for _, row := range r.report.Left {
		add(row.Line, "left", keyText(row.Entity.Key()), "", "not written")
	}
	slices.SortStableFunc(all, func(a, b record) int { return a.line - b.line })
	var file bytes.Buffer
	w := csv.NewWriter(&file)
	_ = w.Write([]string{ui.Sentence(r.source.Unit()), "Result", "Where", "Code", "Why"}) // a buffer does not fail
	for _, record := range all {
		_ = w.Write(record.fields)
	}
	w.Flush()
	return file.Bytes()
}
