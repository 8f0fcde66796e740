package bulkedit

import (
	"bytes"
	"encoding/csv"
	"errors"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/browser"
	"sandtable/web/client"
)

// failure is an entity that was not changed, and why.
type failure struct {
	key  odata.Key
	text string
}

// failures returns every entity of an edit that was not changed.
func failures(d Done) []failure {
	var all []failure
	for _, x := range d.Plan.Impossible {
		all = append(all, failure{x.Key, x.Err.Error()})
	}
	for _, r := range d.Report.Refused {
		all = append(all, failure{r.Entity.Key(), refusedWords(r.Err)})
	}
	for _, row := range d.Report.Left {
		all = append(all, failure{row.Entity.Key(), "not tried"})
	}
	return all
}

func refusedWords(err error) string {
	var known *client.ServiceError
	switch {
	case client.HasCode(err, client.CodeConditionNotMet):
		return "changed elsewhere since it was read"
	case client.HasCode(err, client.CodeResourceNotFound):
		return "deleted elsewhere since it was read"
	case errors.As(err, &known):
		return known.Code + ": " + known.Message
	}
	return err.Error()
}

// reportFile is the list of failures as CSV.
func reportFile(all []failure) []byte {
	var file bytes.Buffer
	w := csv.NewWriter(&file)
	_ = w.Write([]string{odata.PartitionKeyName, odata.RowKeyName, "Why"}) // a buffer does not fail
	for _, f := range all {
		_ = w.Write([]string{f.key.PartitionKey, f.key.RowKey, f.text})
	}
	w.Flush()
	return file.Bytes()
}

func (d *Dialog) onDownload(app.Context, app.Event) {
	browser.SaveFile(d.Route.Table+"-not-changed.csv", "text/csv;charset=utf-8", reportFile(failures(*d.done)))
}
