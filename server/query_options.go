package server

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/odata/payload"
)

// maxSelectNames is how many names $select may have: those of all properties
// that an entity can have, the system properties included.
const maxSelectNames = 255

// queryOptions are the options of a query of tables or entities.
type queryOptions struct {
	filter    filter.Expr // nil matches everything
	top       int
	selection selection
}

// selection is $select.
type selection struct {
	given bool // perhaps empty
	text  string
	names []string
}

// properties returns the selected custom properties, nil for all.
func (s selection) properties() []string {
	if len(s.names) == 0 || slices.Contains(s.names, "*") {
		return nil
	}
	custom := make([]string, 0, len(s.names))
	for _, name := range s.names {
		switch name {
		case odata.PartitionKeyName, odata.RowKeyName, odata.TimestampName:
		default:
			custom = append(custom, name)
		}
	}
	return custom
}

func readQueryOptions(query url.Values) (queryOptions, error) {
	options := queryOptions{top: odata.MaxPageSize}
	var err error
	if options.selection, err = readSelect(query); err != nil {
		return options, err
	}
	if query.Has("$top") {
		if options.top, err = readTop(query.Get("$top")); err != nil {
			return options, err
		}
	}
	options.filter, err = readFilter(query)
	return options, err
}

func readFilter(query url.Values) (filter.Expr, error) {
	text := query.Get("$filter")
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	return filter.Parse(text)
}

func readTop(text string) (int, error) {
	top, err := strconv.Atoi(text)
	if err != nil || top < 0 || top > odata.MaxPageSize {
		return 0, errTop
	}
	return top, nil
}

// readSelect reads $select, and refuses the options that the service does not
// have.
func readSelect(query url.Values) (selection, error) {
	for name := range query {
		if !strings.HasPrefix(name, "$") {
			continue
		}
		switch name {
		case "$filter", "$select", "$top", "$format":
		default:
			return selection{}, errQueryOption
		}
	}
	text := query.Get("$select")
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	if strings.Count(text, ",") >= maxSelectNames {
		return selection{}, errSelectNames
	}
	if err := checkSelected(text); err != nil {
		return selection{}, err
	}
	return selection{given: query.Has("$select"), text: text, names: payload.ParseSelect(text)}, nil
}

// selectError is the position in $select, in UTF-16 code units, of what is not a name.
type selectError int

func (e selectError) Error() string {
	return "An identifier was expected at position " + strconv.Itoa(int(e)) + "."
}

// checkSelected refuses what does not begin as a name. Nothing is needed after the last
// comma.
func checkSelected(text string) error {
	for rest := text; strings.TrimSpace(rest) != ""; {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		first, _ := utf8.DecodeRuneInString(rest)
		if first != '_' && first != '*' && !unicode.IsLetter(first) {
			return selectError(odata.UTF16Len(text[:len(text)-len(rest)]))
		}
		_, rest, _ = strings.Cut(rest, ",")
	}
	return nil
}
