package partitions

import (
	"testing"

	"sandtable/odata"
	"sandtable/web/keydesign"
)

// TestCopyWithEqualKeys: the page says why one of two entities is left out, and before
// that it can happen.
func TestCopyWithEqualKeys(t *testing.T) {
	e := &endpoint{partitions: samplePartitions()}
	d := open(t, e)
	customer := []odata.Property{{Name: "Customer", Value: odata.StringValue("acme")}}
	e.Tables["Orders"] = []*odata.Entity{{PartitionKey: "a", RowKey: "b_c", Properties: customer}, {PartitionKey: "a_b", RowKey: "c", Properties: customer}}
	d.Do(func() { d.Page.readSample(); d.Page.parts = []keydesign.Part{{Property: "Customer"}}; d.Page.askCopy() })
	d.Shows("Keys that contain &#39;_&#39; may become equal.")
	d.Do(func() { d.Page.copyName = "ByCustomer"; d.Page.copy() })
	d.Shows("1 entity was refused.", "Its keys in the new table are those of another entity, because keys that contain &#39;_&#39; may become equal.")
}
