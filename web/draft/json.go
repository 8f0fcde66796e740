package draft

import (
	"errors"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/odata/rowfile"
)

// ErrJSON means that a text is not the JSON of an entity.
var ErrJSON = errors.New("this is not an entity in JSON: properties and values between braces, as in a request")

// SetJSON takes the properties of an entity in the JSON of a request; keys only
// if withKeys is set. A property that is missing there becomes absent.
func (d *Draft) SetJSON(text string, withKeys bool) error {
	body, err := payload.DecodeEntity([]byte(text))
	if err != nil {
		return ErrJSON
	}
	if withKeys {
		key, err := body.Key()
		if err != nil {
			return explain(err)
		}
		d.PartitionKey, d.RowKey = key.PartitionKey, key.RowKey
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
