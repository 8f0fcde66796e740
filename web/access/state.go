package access

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/page"
	"sandtable/web/remote"
	"sandtable/web/sas"
)

// Page is everything about who may use an account: signatures, stored access
// policies, CORS rules and keys.
type Page struct {
	app.Compo
	page.Props

	ctx         app.Context
	now         func() time.Time
	stop        chan struct{} // closed when the page is gone
	release     []func()
	revision    int // that the keys were read at
	credentials remote.Value[credentials]
	builder     builder
	policies    policies
	cors        cors
	choices     page.Queue      // of what unsigned requests may do
	shown       map[string]bool // keys whose text is shown
	copied      string          // what was copied last
	trial       trial
	pasted      string // a link that is explained
}

// builder is the state of the form that makes a shared access signature.
type builder struct {
	token   sas.Token
	start   string // the preset of the start that was chosen; "" if it was typed
	expiry  string
	key     string // "primary" or "secondary"
	changes int    // counts fields that the program has changed: new ones show that
}

// credentials are what signatures of an account are made with.
type credentials struct {
	account  string // as it is signed
	endpoint string // without a slash at its end
	keys     control.Keys
}

func (p *Page) client() *client.Client { return p.Session.Client(p.Route.Account) }

// policies are the stored access policies of the builder's table, and the one
// that is being edited.
type policies struct {
	table  string // whose policies were loaded
	loaded remote.Value[[]sas.Policy]
	edit   *policyEdit
}

type policyEdit struct {
	before sas.Policy // as it was when the edit began; zero for a new one
	policy sas.Policy
	saving
}

// unsaved reports whether leaving would lose something. e may be nil.
func (e *policyEdit) unsaved() bool { return e != nil && (e.busy || e.policy != e.before) }
