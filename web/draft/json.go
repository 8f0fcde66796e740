package draft

import (
	"errors"
	"fmt"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/odata/rowfile"
	"sandtable/web/jsoncheck"
)

// ErrJSON means that a text is not the JSON of an entity. It is wrapped with the place.
var ErrJSON = errors.New("this is not an entity in JSON")

// SetJSON takes the properties of an entity in the JSON of a request. Keys are taken if
// withKeys is set; without, others than those of the draft are an error. A property that
// is missing there becomes absent.
func (d *Draft) SetJSON(text string, withKeys bool) error {
	body, err := payload.DecodeEntity([]byte(text))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrJSON, jsoncheck.Entity(text))
	}
	if withKeys {
		key, err := body.Key()
		if err != nil {
			return explain(err)
		}
		d.PartitionKey, d.RowKey = key.PartitionKey, key.RowKey
	} else if err := d.checkKeys(body); err != nil {
		return err
	}
	given := map[string]odata.Value{}
	for _, p := range body.Properties {
		given[p.Name] = p.Value
	}
	for _, p := range d.Properties {
		v, ok := given[p.Name]
		if !ok {
			d.Remove(p.ID)
			continue
		}
		delete(given, p.Name)
		d.Set(p.ID, func(p *Property) { p.Type, p.Text, p.Null, p.Hex = v.Type(), rowfile.Text(v), false, false })
	}
	for _, p := range body.Properties {
		if v, added := given[p.Name]; added {
			delete(given, p.Name)
			d.Set(d.Add(), func(n *Property) { n.Name, n.Type, n.Text = p.Name, v.Type(), rowfile.Text(v) })
		}
	}
	return nil
}

// checkKeys returns an error for a key that is not the draft's.
func (d *Draft) checkKeys(body payload.Body) error {
	for _, key := range []struct {
		name, fixed string
		given       payload.BodyKey
	}{{odata.PartitionKeyName, d.PartitionKey, body.PartitionKey}, {odata.RowKeyName, d.RowKey, body.RowKey}} {
		if key.given.State != payload.KeyAbsent && (key.given.State != payload.KeyGiven || key.given.Text != key.fixed) {
			return fmt.Errorf("the %s is “%s” and cannot be changed here: press “Change keys” in the form", key.name, key.fixed)
		}
	}
	return nil
}
