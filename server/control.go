package server

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/server/auth"
	"sandtable/server/message"
)

// The control API is Sandtable's own: it says what the store holds, makes and
// drops accounts, and hands out signatures, since the SDK for JavaScript
// cannot make them in a page. Its bodies are small JSON documents, written
// without encoding/json: in a worker that package alone is a twentieth of what
// is downloaded.

const controlPrefix = "/_sandtable/"

// sasLifetime is how long a signature lasts that the control API hands out:
// the data are in this browser alone, and so is the signature.
const sasLifetime = 10 * 365 * 24 * time.Hour

// object writes a JSON object, member by member.
type object struct{ text []byte }

func (o *object) name(name string) {
	if len(o.text) == 0 {
		o.text = append(o.text, '{')
	} else {
		o.text = append(o.text, ',')
	}
	o.text = append(payload.AppendString(o.text, name), ':')
}

func (o *object) string(name, value string) {
	o.name(name)
	o.text = payload.AppendString(o.text, value)
}

func (o *object) int(name string, value int) {
	o.name(name)
	o.text = strconv.AppendInt(o.text, int64(value), 10)
}

// list adds an array of values that are JSON already.
func (o *object) list(name string, items [][]byte) {
	o.name(name)
	o.text = append(o.text, '[')
	o.text = append(o.text, bytes.Join(items, []byte(","))...)
	o.text = append(o.text, ']')
}

func (o *object) object(name string, value object) {
	o.name(name)
	o.text = append(o.text, value.end()...)
}

func (o *object) end() []byte { return append(o.text, '}') }

// controlError is a request of the control API refused.
type controlError struct {
	status  int
	code    string
	message string
}

func (e *controlError) Error() string { return e.message }

var (
	errAccountName  = &controlError{400, "AccountNameInvalid", "An account has a name of 3 to 24 lower-case letters and digits."}
	errAccountTaken = &controlError{409, "AccountAlreadyExists", "There is an account of this name already."}
	errNoControl    = &controlError{404, "ResourceNotFound", "There is nothing at this address."}
	errControlVerb  = &controlError{405, "UnsupportedHttpVerb", "The address does not take this method."}
	errControlBody  = &controlError{400, "InvalidInput", "The body is not the JSON that is expected here."}
)

func (h *Handler) serveControl(w message.ResponseWriter, r *message.Request) {
	status, document, err := h.control(r)
	if err != nil {
		status, document = describeControl(err)
	}
	w.Header().Set("Cache-Control", "no-store")
	if document == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(document) // the caller is gone, if this fails
}

func describeControl(err error) (status int, document []byte) {
	known := &controlError{}
	if !errors.As(err, &known) {
		s := describe(err)
		known = &controlError{s.status, s.code, s.message}
	}
	var details, o object
	details.string("code", known.code)
	details.string("message", known.message)
	o.object("error", details)
	return known.status, o.end()
}

func (h *Handler) control(r *message.Request) (status int, document []byte, err error) {
	path := strings.Split(strings.TrimPrefix(r.URL.Path, controlPrefix), "/")
	switch {
	case len(path) == 1 && path[0] == "status":
		return h.read(r, h.status)
	case len(path) == 1 && path[0] == "accounts" && r.Method == message.MethodPost:
		return h.createAccount(r)
	case len(path) == 1 && path[0] == "accounts":
		return h.read(r, h.accounts)
	case len(path) == 2 && path[0] == "accounts" && r.Method == message.MethodDelete:
		err := h.db.Update(func(tx *engine.Tx) error { return tx.DeleteAccount(path[1]) })
		return message.StatusNoContent, nil, err
	case len(path) == 3 && path[0] == "accounts" && path[2] == "connection":
		return h.read(r, func(tx *engine.Tx) ([]byte, error) { return h.connection(tx, path[1]) })
	}
	return 0, nil, errNoControl
}

// read answers a GET from a view of the database.
func (h *Handler) read(r *message.Request, document func(*engine.Tx) ([]byte, error)) (status int, d []byte, err error) {
	if r.Method != message.MethodGet {
		return 0, nil, errControlVerb
	}
	err = h.db.View(func(tx *engine.Tx) error {
		d, err = document(tx)
		return err
	})
	return message.StatusOK, d, err
}

func (h *Handler) status(tx *engine.Tx) ([]byte, error) {
	accounts, tables, entities := 0, 0, 0
	for account := range tx.Accounts() {
		accounts++
		for table := range tx.Tables(account.Name, "") {
			tables++
			entities += table.Entities
		}
	}
	var damage [][]byte
	for _, d := range h.db.Damage() {
		damage = append(damage, payload.AppendString(nil, d.String()))
	}
	var o object
	o.string("build", h.options.Build)
	o.string("store", h.options.Store)
	o.string("durability", h.options.Durability)
	o.int("accounts", accounts)
	o.int("tables", tables)
	o.int("entities", entities)
	o.list("damage", damage)
	return o.end(), nil
}

func (h *Handler) accounts(tx *engine.Tx) ([]byte, error) {
	var list [][]byte
	for account := range tx.Accounts() {
		list = append(list, describeAccount(tx, account))
	}
	var o object
	o.list("accounts", list)
	return o.end(), nil
}

func describeAccount(tx *engine.Tx, account engine.Account) []byte {
	tables := 0
	for range tx.Tables(account.Name, "") {
		tables++
	}
	var o object
	o.string("name", account.Name)
	o.string("access", account.Access.String())
	o.int("tables", tables)
	return o.end()
}

// accountName reads the body of a request for an account, {"name":"…"}.
func accountName(r *message.Request) (string, error) {
	text, err := readBody(r)
	if err != nil {
		return "", err
	}
	// An entity's body is a JSON object too, of which one member is wanted.
	body, err := payload.DecodeEntity(text)
	if err != nil {
		return "", errControlBody
	}
	for _, p := range body.Properties {
		if p.Name == "name" && p.Value.Type() == odata.EdmString {
			if !odata.CheckAccountName(p.Value.Text()) {
				break
			}
			return p.Value.Text(), nil
		}
	}
	return "", errAccountName
}

func (h *Handler) createAccount(r *message.Request) (int, []byte, error) {
	name, err := accountName(r)
	if err != nil {
		return 0, nil, err
	}
	account := engine.Account{Name: name, Access: engine.OpenAccess}
	for i := range account.Keys {
		account.Keys[i] = make([]byte, 64)
		rand.Read(account.Keys[i])
	}
	var document []byte
	err = h.db.Update(func(tx *engine.Tx) error {
		if _, err := tx.Account(account.Name); err == nil {
			return errAccountTaken
		}
		document = describeAccount(tx, account)
		return tx.PutAccount(account)
	})
	return message.StatusCreated, document, err
}

func (h *Handler) connection(tx *engine.Tx, name string) ([]byte, error) {
	account, err := tx.Account(name)
	if err != nil {
		return nil, err
	}
	endpoint := "https://" + account.Name + hostSuffixes[0]
	sas := auth.AccountSAS(account.Name, account.Keys[0], h.options.Now().Add(sasLifetime))
	var o object
	o.string("account", account.Name)
	o.string("endpoint", endpoint)
	o.string("sas", sas)
	o.string("connectionString", "TableEndpoint="+endpoint+";SharedAccessSignature="+sas)
	o.string("sasUrl", endpoint+"/?"+sas)
	return o.end(), nil
}
