package server

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/auth"
)

// The control API is Sandtable's own: it says what the store holds, makes and
// drops accounts, and hands out signatures, since the SDK for JavaScript
// cannot make them in a page. Its bodies are small JSON documents.

const controlPrefix = "/_sandtable/"

// sasLifetime is how long a signature lasts that the control API hands out:
// the data are in this browser alone, and so is the signature.
const sasLifetime = 10 * 365 * 24 * time.Hour

type statusDocument struct {
	Build      string   `json:"build"`
	Store      string   `json:"store"`
	Durability string   `json:"durability"`
	Accounts   int      `json:"accounts"`
	Tables     int      `json:"tables"`
	Entities   int      `json:"entities"`
	Damage     []string `json:"damage"`
}

type accountDocument struct {
	Name   string `json:"name"`
	Access string `json:"access"`
	Tables int    `json:"tables"`
}

type connectionDocument struct {
	Account          string `json:"account"`
	Endpoint         string `json:"endpoint"`
	SAS              string `json:"sas"`
	ConnectionString string `json:"connectionString"`
	SASURL           string `json:"sasUrl"`
}

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

func (h *Handler) serveControl(w http.ResponseWriter, r *http.Request) {
	status, document, err := h.control(r)
	if err != nil {
		known := &controlError{}
		if !errors.As(err, &known) {
			s := describe(err)
			known = &controlError{s.status, s.code, s.message}
		}
		status = known.status
		document = map[string]any{"error": map[string]string{"code": known.code, "message": known.message}}
	}
	w.Header().Set("Cache-Control", "no-store")
	if document == nil {
		w.WriteHeader(status)
		return
	}
	body, _ := json.Marshal(document) // these documents always can be
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller is gone, if this fails
}

func (h *Handler) control(r *http.Request) (status int, document any, err error) {
	path := strings.Split(strings.TrimPrefix(r.URL.Path, controlPrefix), "/")
	switch {
	case len(path) == 1 && path[0] == "status":
		return h.read(r, h.status)
	case len(path) == 1 && path[0] == "accounts" && r.Method == http.MethodPost:
		return h.createAccount(r)
	case len(path) == 1 && path[0] == "accounts":
		return h.read(r, h.accounts)
	case len(path) == 2 && path[0] == "accounts" && r.Method == http.MethodDelete:
		err := h.db.Update(func(tx *engine.Tx) error { return tx.DeleteAccount(path[1]) })
		return http.StatusNoContent, nil, err
	case len(path) == 3 && path[0] == "accounts" && path[2] == "connection":
		return h.read(r, func(tx *engine.Tx) (any, error) { return h.connection(tx, path[1]) })
	}
	return 0, nil, errNoControl
}

// read answers a GET from a view of the database.
func (h *Handler) read(r *http.Request, document func(*engine.Tx) (any, error)) (status int, d any, err error) {
	if r.Method != http.MethodGet {
		return 0, nil, errControlVerb
	}
	err = h.db.View(func(tx *engine.Tx) error {
		d, err = document(tx)
		return err
	})
	return http.StatusOK, d, err
}

func (h *Handler) status(tx *engine.Tx) (any, error) {
	d := statusDocument{Build: h.options.Build, Store: h.options.Store, Durability: h.options.Durability, Damage: []string{}}
	for account := range tx.Accounts() {
		d.Accounts++
		for table := range tx.Tables(account.Name, "") {
			d.Tables++
			d.Entities += table.Entities
		}
	}
	for _, damage := range h.db.Damage() {
		d.Damage = append(d.Damage, damage.String())
	}
	return d, nil
}

func (h *Handler) accounts(tx *engine.Tx) (any, error) {
	list := []accountDocument{}
	for account := range tx.Accounts() {
		list = append(list, describeAccount(tx, account))
	}
	return map[string]any{"accounts": list}, nil
}

func describeAccount(tx *engine.Tx, account engine.Account) accountDocument {
	d := accountDocument{Name: account.Name, Access: account.Access.String()}
	for range tx.Tables(account.Name, "") {
		d.Tables++
	}
	return d
}

func (h *Handler) createAccount(r *http.Request) (int, any, error) {
	body, err := readBody(r)
	if err != nil {
		return 0, nil, err
	}
	var wanted struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(body, &wanted); err != nil {
		return 0, nil, errControlBody
	}
	if !odata.CheckAccountName(wanted.Name) {
		return 0, nil, errAccountName
	}
	account := engine.Account{Name: wanted.Name, Access: engine.OpenAccess}
	for i := range account.Keys {
		account.Keys[i] = make([]byte, 64)
		rand.Read(account.Keys[i])
	}
	var document any
	err = h.db.Update(func(tx *engine.Tx) error {
		if _, err := tx.Account(account.Name); err == nil {
			return errAccountTaken
		}
		document = describeAccount(tx, account)
		return tx.PutAccount(account)
	})
	return http.StatusCreated, document, err
}

func (h *Handler) connection(tx *engine.Tx, name string) (any, error) {
	account, err := tx.Account(name)
	if err != nil {
		return nil, err
	}
	d := connectionDocument{Account: account.Name, Endpoint: "https://" + account.Name + hostSuffixes[0]}
	d.SAS = auth.AccountSAS(account.Name, account.Keys[0], h.options.Now().Add(sasLifetime))
	d.ConnectionString = "TableEndpoint=" + d.Endpoint + ";SharedAccessSignature=" + d.SAS
	d.SASURL = d.Endpoint + "/?" + d.SAS
	return d, nil
}
