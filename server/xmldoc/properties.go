package xmldoc

import (
	"strconv"
	"strings"
)

// maxRetentionDays is the longest retention of logs and metrics, in days.
const maxRetentionDays = 365

// Retention says how long something is kept.
type Retention struct {
	Enabled bool
	Days    int // 1 to 365 if enabled, else 0
}

// Logging says which requests are logged. Sandtable stores it and logs nothing.
type Logging struct {
	Read, Write, Delete bool
	Retention           Retention
}

// Metrics says which metrics are kept. Sandtable stores it and keeps none.
type Metrics struct {
	Enabled     bool
	IncludeAPIs bool // only if enabled
	Retention   Retention
}

// Properties are the service properties of an account.
type Properties struct {
	Logging       Logging
	HourMetrics   Metrics
	MinuteMetrics Metrics
	Cors          []CorsRule
}

// Update is the body of Set Table Service Properties; what it does not name stays
// unchanged.
type Update struct {
	logging       *Logging
	hourMetrics   *Metrics
	minuteMetrics *Metrics
	cors          *[]CorsRule
}

// Apply returns the updated properties.
func (u Update) Apply(p Properties) Properties {
	if u.logging != nil {
		p.Logging = *u.logging
	}
	if u.hourMetrics != nil {
		p.HourMetrics = *u.hourMetrics
	}
	if u.minuteMetrics != nil {
		p.MinuteMetrics = *u.minuteMetrics
	}
	if u.cors != nil {
		p.Cors = *u.cors
	}
	return p
}

// ParseUpdate reads the body of Set Table Service Properties. The error is
// ErrDocument, ErrNodeValue or ErrMissingNode.
func ParseUpdate(body []byte) (Update, error) {
	var u Update
	root, err := parse(body, "StorageServiceProperties")
	if err != nil {
		return u, err
	}
	fields, err := root.fields("Logging", "Metrics", "HourMetrics", "MinuteMetrics", "Cors")
	if err != nil {
		return u, err
	}
	if len(fields) == 0 || fields["Metrics"] != nil && fields["HourMetrics"] != nil {
		return u, ErrDocument
	}
	if n := fields["Logging"]; n != nil {
		if u.logging, err = parseLogging(n); err != nil {
			return u, err
		}
	}
	// Versions before 2013-08-15 have only hourly metrics, named Metrics.
	for _, name := range []string{"Metrics", "HourMetrics"} {
		if n := fields[name]; n != nil {
			if u.hourMetrics, err = parseMetrics(n); err != nil {
				return u, err
			}
		}
	}
	if n := fields["MinuteMetrics"]; n != nil {
		if u.minuteMetrics, err = parseMetrics(n); err != nil {
			return u, err
		}
	}
	if n := fields["Cors"]; n != nil {
		u.cors, err = parseCors(n)
	}
	return u, err
}

// ParseOldUpdate is [ParseUpdate] for versions before 2013-08-15, which
// require both of their elements.
func ParseOldUpdate(body []byte) (Update, error) {
	u, err := ParseUpdate(body)
	switch {
	case err != nil:
		return u, err
	case u.logging == nil || u.hourMetrics == nil || u.minuteMetrics != nil || u.cors != nil:
		return u, ErrDocument
	}
	return u, nil
}

// ParseProperties reads a document that [AppendProperties] wrote.
func ParseProperties(body []byte) (Properties, error) {
	u, err := ParseUpdate(body)
	return u.Apply(Properties{}), err
}

func parseLogging(n *node) (*Logging, error) {
	fields, err := n.fields("Version", "Read", "Write", "Delete", "RetentionPolicy")
	if err != nil {
		return nil, err
	}
	if err := checkVersion(fields["Version"]); err != nil {
		return nil, err
	}
	l := &Logging{}
	if l.Read, err = parseBool(fields["Read"]); err != nil {
		return nil, err
	}
	if l.Write, err = parseBool(fields["Write"]); err != nil {
		return nil, err
	}
	if l.Delete, err = parseBool(fields["Delete"]); err != nil {
		return nil, err
	}
	l.Retention, err = parseRetention(fields["RetentionPolicy"])
	return l, err
}

func parseMetrics(n *node) (*Metrics, error) {
	fields, err := n.fields("Version", "Enabled", "IncludeAPIs", "RetentionPolicy")
	if err != nil {
		return nil, err
	}
	if err := checkVersion(fields["Version"]); err != nil {
		return nil, err
	}
	m := &Metrics{}
	if m.Enabled, err = parseBool(fields["Enabled"]); err != nil {
		return nil, err
	}
	switch {
	case m.Enabled:
		m.IncludeAPIs, err = parseBool(fields["IncludeAPIs"])
	case fields["IncludeAPIs"] != nil:
		err = ErrDocument
	}
	if err != nil {
		return nil, err
	}
	m.Retention, err = parseRetention(fields["RetentionPolicy"])
	return m, err
}

func parseRetention(n *node) (Retention, error) {
	var r Retention
	if n == nil {
		return r, ErrMissingNode
	}
	fields, err := n.fields("Enabled", "Days")
	if err != nil {
		return r, err
	}
	if r.Enabled, err = parseBool(fields["Enabled"]); err != nil {
		return r, err
	}
	days := fields["Days"]
	switch {
	case !r.Enabled && days != nil:
		return r, ErrDocument
	case !r.Enabled:
		return r, nil
	case days == nil:
		return r, ErrDocument // as recorded, unlike other missing nodes
	}
	text, err := days.value()
	if err != nil {
		return r, err
	}
	if r.Days, err = strconv.Atoi(text); err != nil || r.Days < 1 || r.Days > maxRetentionDays {
		return r, ErrDocument
	}
	return r, nil
}

func checkVersion(n *node) error {
	if n == nil {
		return ErrMissingNode
	}
	if text, err := n.value(); err != nil || text != "1.0" {
		return ErrNodeValue
	}
	return nil
}

func parseBool(n *node) (bool, error) {
	if n == nil {
		return false, ErrMissingNode
	}
	text, err := n.value()
	if err != nil {
		return false, err
	}
	switch strings.ToLower(text) {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return false, ErrNodeValue
}

// AppendProperties writes the body of Get Table Service Properties, with its
// byte order mark.
func AppendProperties(b []byte, p Properties) []byte {
	b = appendLogging(b, p.Logging)
	b = appendMetrics(b, "HourMetrics", p.HourMetrics)
	b = appendMetrics(b, "MinuteMetrics", p.MinuteMetrics)
	b = appendCors(b, p.Cors)
	return append(b, "</StorageServiceProperties>"...)
}

// AppendOldProperties is [AppendProperties] for versions before 2013-08-15,
// which have only logging and, named Metrics, hourly metrics.
func AppendOldProperties(b []byte, p Properties) []byte {
	b = appendLogging(b, p.Logging)
	b = appendMetrics(b, "Metrics", p.HourMetrics)
	return append(b, "</StorageServiceProperties>"...)
}

// appendLogging writes the start of a document and its first element.
func appendLogging(b []byte, l Logging) []byte {
	b = append(b, ByteOrderMark+declaration+"<StorageServiceProperties>"...)
	b = append(b, "<Logging><Version>1.0</Version>"...)
	b = appendElement(b, "Read", strconv.FormatBool(l.Read))
	b = appendElement(b, "Write", strconv.FormatBool(l.Write))
	b = appendElement(b, "Delete", strconv.FormatBool(l.Delete))
	b = appendRetention(b, l.Retention)
	return append(b, "</Logging>"...)
}

func appendMetrics(b []byte, name string, m Metrics) []byte {
	b = append(b, "<"+name+"><Version>1.0</Version>"...)
	b = appendElement(b, "Enabled", strconv.FormatBool(m.Enabled))
	if m.Enabled {
		b = appendElement(b, "IncludeAPIs", strconv.FormatBool(m.IncludeAPIs))
	}
	b = appendRetention(b, m.Retention)
	return append(b, "</"+name+">"...)
}

func appendRetention(b []byte, r Retention) []byte {
	b = append(b, "<RetentionPolicy>"...)
	b = appendElement(b, "Enabled", strconv.FormatBool(r.Enabled))
	if r.Enabled {
		b = appendElement(b, "Days", strconv.Itoa(r.Days))
	}
	return append(b, "</RetentionPolicy>"...)
}

// AppendStats writes the body of Get Table Service Stats, with its byte order
// mark. The time is an HTTP date.
func AppendStats(b []byte, status, lastSyncTime string) []byte {
	b = append(b, ByteOrderMark+declaration+"<StorageServiceStats><GeoReplication>"...)
	b = appendElement(b, "Status", status)
	b = appendElement(b, "LastSyncTime", lastSyncTime)
	return append(b, "</GeoReplication></StorageServiceStats>"...)
}
