package playground

import (
	"encoding/json"
	"strconv"
	"strings"
)

// output is one thing that a program printed, or its end.
type output struct {
	Level   string     `json:"level"` // "log", "warn", "error", "table", "clear" or "end"
	Text    string     `json:"text"`
	Line    int        `json:"line"`  // of the code, 0 if unknown
	Trees   []*shown   `json:"trees"` // the values to open, none if they are text alone
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	End     *end       `json:"end"`
}

// end is how a run ended.
type end struct {
	Outcome      string   `json:"outcome"` // "finished", "failed", "stopped", "time" or "limit"
	Milliseconds float64  `json:"milliseconds"`
	Requests     int      `json:"requests"` // that the program sent
	Message      string   `json:"message"`
	Failure      *failure `json:"failure"`
}

// failedByItself reports whether an error of the program itself ended it, not one of the service.
func (e end) failedByItself() bool { return e.Failure != nil && e.Failure.Code == "" }

// failure is the error that ended a program.
type failure struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Code    string `json:"code"`   // of the service, "" for none
	Status  int    `json:"status"` // of the answer, 0 for none
	Line    int    `json:"line"`   // of the code, 0 if unknown
}

// printed is the output as a check sees it: of a table, a row of cells per line.
func (o output) printed() string {
	if o.Level != "table" {
		return o.Text
	}
	lines := []string{strings.Join(o.Columns, " ")}
	for _, cells := range o.Rows {
		lines = append(lines, strings.Join(cells, " "))
	}
	return strings.Join(lines, "\n")
}

// console is what the last run printed.
type console struct {
	lines   []output
	editor  int  // whose code it is, see Page.editors
	http    bool // the lines are answers
	running bool
	all     bool // all lines are drawn
	end     *end // nil before the first run has ended
}

// start empties the console for a run of an editor's code.
func (c *console) start(editor int) { *c = console{editor: editor, running: true} }

// left returns what is shown when the page is opened again, where its code is in another editor.
func (c *console) left() console {
	kept := *c
	kept.editor = -1
	if kept.running {
		kept.running, kept.end = false, &end{Outcome: "stopped", Message: "The program was stopped when you left the page."}
	}
	return kept
}

// receive takes in a batch of outputs, as JSON. It reports whether the run ended.
func (c *console) receive(batch string) bool {
	var all []output
	if json.Unmarshal([]byte(batch), &all) != nil {
		return false
	}
	for _, o := range all {
		switch o.Level {
		case "clear":
			c.lines = nil
		case "end":
			c.end, c.running = o.End, false
		default:
			c.lines = append(c.lines, o)
		}
	}
	return !c.running
}

// summary says in a few words how the last run went.
func (c *console) summary() string {
	switch {
	case c.running:
		return "Running"
	case c.end == nil:
		return "Not run yet"
	}
	words := map[string]string{"finished": "Finished", "failed": "Failed", "stopped": "Stopped", "time": "Stopped at the time limit", "limit": "Stopped at a limit"}
	return words[c.end.Outcome] + " after " + strconv.Itoa(int(c.end.Milliseconds+.5)) + " ms"
}

// title is the first line of a failure: its name and the service's code.
func (f failure) title() string {
	title := f.Name
	if f.Code != "" {
		title = f.Code
	}
	if f.Status != 0 {
		title += " (" + strconv.Itoa(f.Status) + ")"
	}
	return title
}

// hints say what to do about errors that learners meet, by the service's code.
var hints = map[string]string{
	"TableNotFound":                           "Create the table first: await client.createTable(). It does nothing if the table exists.",
	"TableAlreadyExists":                      "Use the table that is there, or Reset the data.",
	"EntityAlreadyExists":                     "An entity with these keys exists. Use upsertEntity to write whether or not it exists, or Reset the data.",
	"ResourceNotFound":                        "No entity has exactly these keys. Keys are case-sensitive, and \"1\" is not \"01\".",
	"UpdateConditionNotSatisfied":             "The entity has changed since its ETag was read. Read it again, apply your change, and update with the new ETag.",
	"ConditionNotMet":                         "The entity has changed since its ETag was read. Read it again, apply your change, and update with the new ETag.",
	"InvalidInput":                            "Something in the request is malformed, most often a filter, or a key with / \\ # or ?. Build filters with odata`Name eq ${value}`: it quotes strings and times.",
	"PropertiesNeedValue":                     "An entity needs a partitionKey and a rowKey, both strings.",
	"InvalidDuplicateRow":                     "A transaction can touch each entity once.",
	"CommandsInBatchActOnDifferentPartitions": "All entities of a transaction have the same partitionKey.",
	"PropertyValueTooLarge":                   "A string has at most 32,768 characters, a binary 64 KiB.",
}

// messageHints say what to do about errors by a part of their message.
var messageHints = map[string]string{
	"cannot be undefined or null": "The SDK for JavaScript calls the keys partitionKey and rowKey. Both are needed.",
	"replace is not a function":   "Something here is not a string. Keys are strings, also those that look like numbers: \"0001\".",
	"listEntities":                "Entities arrive page by page: for await (const entity of client.listEntities()).",
	"changes per change set":      "A transaction has at most 100 operations.",
}

// hint returns what to do about a failure, "" for nothing.
func (f failure) hint() string {
	for part, hint := range messageHints {
		if strings.Contains(f.Message, part) {
			return hint
		}
	}
	switch {
	case hints[f.Code] != "":
		return hints[f.Code]
	case f.Name == "ReferenceError":
		return "Nothing has this name. Is it imported, and spelled as it is declared?"
	}
	return ""
}
