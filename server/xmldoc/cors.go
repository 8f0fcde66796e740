package xmldoc

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"sandtable/odata"
)

// Limits of CORS rules.
//
// Source: "Cross-origin resource sharing (CORS) support for Azure Storage".
const (
	maxCorsRules      = 5
	maxCorsNames      = 64  // origins, or header names, of a rule
	maxCorsPrefixes   = 2   // header names that end in a star, in addition
	maxCorsNameLength = 256 // UTF-16 code units
	maxCorsSize       = 2 << 10
)

// CorsRule allows some requests to pages of some origins.
type CorsRule struct {
	Origins []string // exact, with a subdomain wildcard, or "*"
	Methods []string
	// AllowedHeaders and ExposedHeaders are names, prefixes that end in "*", or "*".
	AllowedHeaders []string
	ExposedHeaders []string
	MaxAgeSeconds  int
}

func parseCors(n *node) (*[]CorsRule, error) {
	rules := []CorsRule{}
	if len(n.children) > maxCorsRules || len(bytes.TrimSpace(n.text)) > 0 {
		return nil, ErrDocument
	}
	size := 0
	for _, child := range n.children {
		if child.name != "CorsRule" {
			return nil, ErrDocument
		}
		rule, err := parseCorsRule(child, &size)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	if size > maxCorsSize {
		return nil, ErrDocument
	}
	return &rules, nil
}

var corsMethods = []string{"DELETE", "GET", "HEAD", "MERGE", "POST", "OPTIONS", "PUT", "PATCH"}

// parseCorsRule reads one rule and adds the length of its texts to size.
func parseCorsRule(n *node, size *int) (CorsRule, error) {
	var rule CorsRule
	fields, err := n.fields("AllowedOrigins", "AllowedMethods", "MaxAgeInSeconds", "ExposedHeaders", "AllowedHeaders")
	if err != nil {
		return rule, err
	}
	for _, list := range []struct {
		name string
		to   *[]string
	}{
		{"AllowedOrigins", &rule.Origins}, {"AllowedMethods", &rule.Methods},
		{"ExposedHeaders", &rule.ExposedHeaders}, {"AllowedHeaders", &rule.AllowedHeaders},
	} {
		if *list.to, err = parseList(fields[list.name], size); err != nil {
			return rule, err
		}
	}
	if fields["MaxAgeInSeconds"] == nil {
		return rule, ErrMissingNode
	}
	age, err := fields["MaxAgeInSeconds"].value()
	if err != nil {
		return rule, err
	}
	*size += len(age)
	if rule.MaxAgeSeconds, err = strconv.Atoi(age); err != nil || rule.MaxAgeSeconds < 0 {
		return rule, ErrNodeValue
	}
	return rule, rule.check()
}

func (rule *CorsRule) check() error {
	if len(rule.Origins) == 0 || len(rule.Methods) == 0 || len(rule.Origins) > maxCorsNames {
		return ErrNodeValue
	}
	for _, method := range rule.Methods {
		if !slices.Contains(corsMethods, method) {
			return ErrNodeValue
		}
	}
	for _, headers := range [][]string{rule.AllowedHeaders, rule.ExposedHeaders} {
		prefixes := 0
		for _, name := range headers {
			if strings.HasSuffix(name, "*") && name != "*" {
				prefixes++
			}
		}
		if prefixes > maxCorsPrefixes || len(headers)-prefixes > maxCorsNames {
			return ErrNodeValue
		}
	}
	return nil
}

// parseList reads names between commas. Prefixes, which end in "*", come last:
// the service lists them so.
func parseList(n *node, size *int) ([]string, error) {
	if n == nil {
		return nil, ErrMissingNode
	}
	text, err := n.value()
	if err != nil {
		return nil, err
	}
	*size += len(text)
	var names, prefixes []string
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		// The size of all rules is checked last, because the service reports too many
		// names first. This bounds the memory until then.
		if odata.UTF16Len(name) > maxCorsNameLength || len(names)+len(prefixes) == maxCorsNames+maxCorsPrefixes {
			return nil, ErrNodeValue
		}
		if len(name) > 1 && strings.HasSuffix(name, "*") {
			prefixes = append(prefixes, name)
		} else {
			names = append(names, name)
		}
	}
	return append(names, prefixes...), nil
}

func appendCors(b []byte, rules []CorsRule) []byte {
	if len(rules) == 0 {
		return append(b, "<Cors />"...)
	}
	b = append(b, "<Cors>"...)
	for _, rule := range rules {
		b = append(b, "<CorsRule>"...)
		b = appendElement(b, "AllowedMethods", strings.Join(rule.Methods, ","))
		b = appendElement(b, "AllowedOrigins", strings.Join(rule.Origins, ","))
		b = appendElement(b, "AllowedHeaders", strings.Join(rule.AllowedHeaders, ","))
		b = appendElement(b, "ExposedHeaders", strings.Join(rule.ExposedHeaders, ","))
		b = appendElement(b, "MaxAgeInSeconds", strconv.Itoa(rule.MaxAgeSeconds))
		b = append(b, "</CorsRule>"...)
	}
	return append(b, "</Cors>"...)
}
