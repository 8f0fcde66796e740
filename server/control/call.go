package control

import (
	"net/url"
	"strconv"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/message"
)

// call is one request of the control API.
type call struct {
	*Handler
	http   *message.Request
	writer message.ResponseWriter
	query  url.Values
	name   string // matched by the star in the route's path
}

// queryAccount returns the account named in the query, "" without one.
func (c *call) queryAccount() (string, error) {
	name := c.query.Get("account")
	if c.query.Has("account") && !odata.CheckAccountName(name) {
		return "", errAccountName
	}
	return name, nil
}

// queryNumber returns a whole number of the query, or a default.
func (c *call) queryNumber(name string, preset uint64) (uint64, error) {
	if !c.query.Has(name) {
		return preset, nil
	}
	n, err := strconv.ParseUint(c.query.Get(name), 10, 53)
	if err != nil {
		return 0, invalidInput(name + " must be a whole number.")
	}
	return n, nil
}

// queryBool returns a boolean of the query, false if it is missing.
func (c *call) queryBool(name string) (bool, error) {
	value := c.query.Get(name)
	if c.query.Has(name) && value != "true" && value != "false" {
		return false, invalidInput(name + " must be true or false.")
	}
	return value == "true", nil
}

// view answers from a view of the database.
func (c *call) view(document func(*engine.Tx) ([]byte, error)) (status int, d []byte, err error) {
	err = c.db.View(func(tx *engine.Tx) (err error) {
		d, err = document(tx)
		return err
	})
	return message.StatusOK, d, err
}

func ok(document []byte) (int, []byte, error) { return message.StatusOK, document, nil }
