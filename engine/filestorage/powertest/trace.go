package powertest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Call is a completed system call.
type Call struct {
	Name string
	// Args are as strace writes them, but strings are decoded.
	Args []string
	// Result is what the call returned, -1 if it failed.
	Result int64
}

// errTrace means that a line is not from strace, or is incomplete.
var errTrace = errors.New("not a line of strace -f -xx")

// Calls reads the output of "strace -f -xx": all calls, failed ones too, in the
// order in which they completed. Overlapping calls of threads take two lines each.
// A call that never completed, since the process was killed, is left out. A string
// that strace has cut short is an error.
func Calls(trace io.Reader) (calls []Call, err error) {
	begun := make(map[string]string) // thread -> the first part of a line
	lines := bufio.NewReader(trace)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return calls, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		call, whole, err := parseLine(strings.TrimSuffix(line, "\n"), begun)
		if err != nil {
			return nil, fmt.Errorf("line %d of the trace: %w", n, err)
		}
		if whole {
			calls = append(calls, call)
		}
	}
}

// parseLine reads a line; whole is false if no call completes in it. begun keeps
// the first parts of calls that other calls interrupted.
func parseLine(line string, begun map[string]string) (call Call, whole bool, err error) {
	thread, text, found := strings.Cut(line, " ")
	if _, err := strconv.ParseUint(thread, 10, 32); err != nil || !found {
		return Call{}, false, fmt.Errorf("%w: no thread", errTrace)
	}
	text = strings.TrimLeft(text, " ")
	if strings.HasPrefix(text, "+++ ") || strings.HasPrefix(text, "--- ") {
		return Call{}, false, nil // the end of a thread, or a signal
	}
	if strings.HasSuffix(text, " <detached ...>") {
		return Call{}, false, nil // a thread that ended with the process, perhaps before its call was seen: "???("
	}
	if first, cut := strings.CutSuffix(text, " <unfinished ...>"); cut {
		begun[thread] = first
		return Call{}, false, nil
	}
	if rest, resumed := strings.CutPrefix(text, "<... "); resumed {
		_, rest, found := strings.Cut(rest, " resumed>")
		first, interrupted := begun[thread]
		if !found || !interrupted {
			return Call{}, false, fmt.Errorf("%w: a call that never began is resumed", errTrace)
		}
		delete(begun, thread)
		text = first + rest
	}
	return parseCall(text)
}

// parseCall reads "name(arguments) = result".
func parseCall(text string) (call Call, whole bool, err error) {
	name, rest, found := strings.Cut(text, "(")
	if !found || name == "" {
		return Call{}, false, fmt.Errorf("%w: no call", errTrace)
	}
	args, rest, err := parseArgs(rest)
	if err != nil {
		return Call{}, false, err
	}
	result, found := strings.CutPrefix(strings.TrimLeft(rest, " "), "= ")
	if !found {
		return Call{}, false, fmt.Errorf("%w: no result", errTrace)
	}
	result, _, _ = strings.Cut(result, " ")
	if result == "?" {
		return Call{}, false, nil // the thread ended during the call
	}
	n, err := strconv.ParseInt(result, 0, 64)
	if err != nil {
		return Call{}, false, fmt.Errorf("%w: the result %q", errTrace, result)
	}
	return Call{name, args, n}, true, nil
}

// parseArgs reads arguments up to the parenthesis that ends them.
func parseArgs(text string) (args []string, rest string, err error) {
	arg, depth := "", 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			value, n, err := parseString(text[i:])
			if err != nil {
				return nil, "", err
			}
			arg, i = arg+value, i+n
			continue
		case c == ')' && depth == 0:
			if arg != "" || len(args) > 0 {
				args = append(args, arg)
			}
			return args, text[i+1:], nil
		case c == ',' && depth == 0:
			args, arg = append(args, arg), ""
			i++
			if i < len(text) && text[i] == ' ' {
				i++
			}
			continue
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		arg += text[i : i+1]
		i++
	}
	return nil, "", fmt.Errorf("%w: arguments without an end", errTrace)
}

// parseString reads a string in which each byte is written as \x61, and returns
// its length in text.
func parseString(text string) (value string, length int, err error) {
	end := strings.IndexByte(text[1:], '"')
	if end < 0 {
		return "", 0, fmt.Errorf("%w: a string without an end", errTrace)
	}
	digits := text[1 : 1+end]
	length = end + 2
	if strings.HasPrefix(text[length:], "...") {
		return "", 0, fmt.Errorf("%w: a string that was cut short", errTrace)
	}
	if len(digits)%4 != 0 {
		return "", 0, fmt.Errorf("%w: a string that is not in hexadecimal digits", errTrace)
	}
	bytes := make([]byte, 0, len(digits)/4)
	for ; len(digits) > 0; digits = digits[4:] {
		b, err := strconv.ParseUint(digits[2:4], 16, 8)
		if err != nil || digits[:2] != `\x` {
			return "", 0, fmt.Errorf("%w: a string that is not in hexadecimal digits", errTrace)
		}
		bytes = append(bytes, byte(b))
	}
	return string(bytes), length, nil
}
