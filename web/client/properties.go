package client

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// MaxCORSRules is how many CORS rules an account can have.
const MaxCORSRules = 5

// Retention is how long something is kept.
type Retention struct {
	Enabled bool
	Days    string // as it was typed; 1 to 365 if enabled
}

// Logging is which requests are logged.
type Logging struct {
	Read, Write, Delete bool
	Retention           Retention
}

// Metrics is which metrics are kept.
type Metrics struct {
	Enabled   bool
	APIs      bool // per operation; only if enabled
	Retention Retention
}

// CORSRule allows pages of other sites to send some requests. Lists have commas
// between their items.
type CORSRule struct {
	Origins, Methods        string
	AllowedHeaders, Exposed string
	MaxAge                  string // in seconds, as it was typed
}

// Properties are the service properties of an account.
type Properties struct {
	Logging Logging
	Hour    Metrics
	Minute  Metrics
	CORS    []CORSRule
}

// Properties returns the service properties of the account.
//
// https://learn.microsoft.com/rest/api/storageservices/get-table-service-properties
func (c *Client) Properties(ctx context.Context) (Properties, error) {
	body, err := c.document(ctx, MethodGet, propertiesResource, nil)
	if err != nil {
		return Properties{}, err
	}
	root, err := parseXML(body, "StorageServiceProperties")
	if err != nil {
		return Properties{}, err
	}
	logging := root.child("Logging")
	p := Properties{
		Logging: Logging{logging.boolean("Read"), logging.boolean("Write"), logging.boolean("Delete"), retentionOf(logging)},
		Hour:    metricsOf(root.child("HourMetrics")),
		Minute:  metricsOf(root.child("MinuteMetrics")),
	}
	for _, n := range root.child("Cors").children {
		p.CORS = append(p.CORS, CORSRule{n.value("AllowedOrigins"), n.value("AllowedMethods"), n.value("AllowedHeaders"), n.value("ExposedHeaders"), n.value("MaxAgeInSeconds")})
	}
	return p, nil
}

// propertiesResource is where the service properties are below an account's
// address.
const propertiesResource = "/?restype=service&comp=properties"

func retentionOf(n *node) Retention {
	r := n.child("RetentionPolicy")
	return Retention{r.boolean("Enabled"), r.value("Days")}
}

func metricsOf(n *node) Metrics {
	return Metrics{n.boolean("Enabled"), n.boolean("IncludeAPIs"), retentionOf(n)}
}

// Changes returns the XML of each element in which p differs from what is stored.
// Elements that are not sent keep their stored values.
func (p Properties) Changes(stored Properties) []string {
	var all []string
	before, after := stored.elements(), p.elements()
	for i, e := range after {
		if e != before[i] {
			all = append(all, e)
		}
	}
	return all
}

func (p Properties) elements() []string {
	flag := func(name string, on bool) string { return element(name, strconv.FormatBool(on)) }
	metrics := func(m Metrics) string {
		text := element("Version", "1.0") + flag("Enabled", m.Enabled)
		if m.Enabled {
			text += flag("IncludeAPIs", m.APIs)
		}
		return text + m.Retention.xml()
	}
	cors := ""
	for _, r := range p.CORS {
		cors += "<CorsRule>" + element("AllowedOrigins", r.Origins) + element("AllowedMethods", r.Methods) + element("AllowedHeaders", r.AllowedHeaders) +
			element("ExposedHeaders", r.Exposed) + element("MaxAgeInSeconds", r.MaxAge) + "</CorsRule>"
	}
	l := p.Logging
	return []string{
		"<Logging>" + element("Version", "1.0") + flag("Delete", l.Delete) + flag("Read", l.Read) + flag("Write", l.Write) + l.Retention.xml() + "</Logging>",
		"<HourMetrics>" + metrics(p.Hour) + "</HourMetrics>",
		"<MinuteMetrics>" + metrics(p.Minute) + "</MinuteMetrics>",
		"<Cors>" + cors + "</Cors>",
	}
}

func (r Retention) xml() string {
	text := "<RetentionPolicy>" + element("Enabled", strconv.FormatBool(r.Enabled))
	if r.Enabled {
		text += element("Days", strings.TrimSpace(r.Days))
	}
	return text + "</RetentionPolicy>"
}

// PropertiesXML writes the body of Set Table Service Properties.
func PropertiesXML(changes []string) []byte {
	return []byte(`<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties>` + strings.Join(changes, "") + "</StorageServiceProperties>")
}

// SetProperties sends what [Properties.Changes] returned in one request.
//
// https://learn.microsoft.com/rest/api/storageservices/set-table-service-properties
func (c *Client) SetProperties(ctx context.Context, changes []string) error {
	_, err := c.document(ctx, MethodPut, propertiesResource, PropertiesXML(changes))
	return err
}

// Problem returns why the service would refuse the number of days, or "".
func (r Retention) Problem() string {
	if days, err := strconv.Atoi(strings.TrimSpace(r.Days)); r.Enabled && (err != nil || days < 1 || days > 365) {
		return "1 to 365 days."
	}
	return ""
}

// CORSMethods are the methods that a rule can name.
var CORSMethods = []string{"DELETE", "GET", "HEAD", "MERGE", "POST", "OPTIONS", "PUT", "PATCH"}

// Problems returns what the service would refuse in a rule, by the element's
// name.
func (r CORSRule) Problems() map[string]string {
	found := map[string]string{}
	origins := Items(r.Origins)
	switch {
	case len(origins) == 0:
		found["AllowedOrigins"] = "Name at least one origin, or * for all."
	case len(origins) > 64:
		found["AllowedOrigins"] = "64 origins at most."
	}
	for _, origin := range origins {
		if origin != "*" && !strings.HasPrefix(origin, "https://") && !strings.HasPrefix(origin, "http://") {
			found["AllowedOrigins"] = "An origin begins with https:// or http://."
		} else if strings.Count(origin, "/") > 2 {
			found["AllowedOrigins"] = "An origin has no path: leave out everything after the host and port."
		}
	}
	methods := Items(r.Methods)
	if len(methods) == 0 {
		found["AllowedMethods"] = "Name at least one method."
	}
	for _, method := range methods {
		if !slices.Contains(CORSMethods, method) {
			found["AllowedMethods"] = "The service does not know " + method + ". It takes " + strings.Join(CORSMethods, ", ") + "."
		}
	}
	if age, err := strconv.Atoi(strings.TrimSpace(r.MaxAge)); err != nil || age < 0 {
		found["MaxAgeInSeconds"] = "A whole number of seconds."
	}
	for name, list := range map[string]string{"AllowedHeaders": r.AllowedHeaders, "ExposedHeaders": r.Exposed} {
		if prefixes := strings.Count(list, "*"); prefixes > 2 {
			found[name] = "Two prefixes such as x-ms-* at most."
		}
	}
	return found
}

// Items returns the items of a list with commas, without empty ones.
func Items(list string) []string {
	var all []string
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}
