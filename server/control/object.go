package control

import (
	"bytes"
	"strconv"

	"sandtable/odata/payload"
)

// object writes a JSON object, member by member.
type object struct{ data []byte }

func (o *object) name(name string) {
	if len(o.data) == 0 {
		o.data = append(o.data, '{')
	} else {
		o.data = append(o.data, ',')
	}
	o.data = append(payload.AppendString(o.data, name), ':')
}

func (o *object) string(name, value string) {
	o.name(name)
	o.data = payload.AppendString(o.data, value)
}

// optional adds a string unless it is empty.
func (o *object) optional(name, value string) {
	if value != "" {
		o.string(name, value)
	}
}

func (o *object) int(name string, value int) {
	o.name(name)
	o.data = strconv.AppendInt(o.data, int64(value), 10)
}

// positive adds a number, or null for an unknown one, which is 0 or less.
func (o *object) positive(name string, n int64) {
	if n <= 0 {
		o.null(name)
		return
	}
	o.int(name, int(n))
}

func (o *object) bool(name string, value bool) {
	o.name(name)
	o.data = strconv.AppendBool(o.data, value)
}

// float adds a number with three decimals.
func (o *object) float(name string, value float64) {
	o.name(name)
	o.data = strconv.AppendFloat(o.data, value, 'f', 3, 64)
}

// number adds a number with as many digits as it needs.
func (o *object) number(name string, value float64) {
	o.name(name)
	o.data = strconv.AppendFloat(o.data, value, 'f', -1, 64)
}

func (o *object) null(name string) { o.raw(name, []byte("null")) }

// raw adds a value that is JSON already.
func (o *object) raw(name string, value []byte) {
	o.name(name)
	o.data = append(o.data, value...)
}

// list adds an array of values that are JSON already.
func (o *object) list(name string, items [][]byte) {
	o.name(name)
	o.data = append(o.data, '[')
	o.data = append(o.data, bytes.Join(items, []byte(","))...)
	o.data = append(o.data, ']')
}

// strings adds an array of strings.
func (o *object) strings(name string, items []string) {
	encoded := make([][]byte, len(items))
	for i, item := range items {
		encoded[i] = payload.AppendString(nil, item)
	}
	o.list(name, encoded)
}

func (o *object) object(name string, value object) { o.raw(name, value.end()) }

func (o *object) end() []byte {
	if len(o.data) == 0 {
		return []byte("{}")
	}
	return append(o.data, '}')
}
