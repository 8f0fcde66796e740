package powertest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// longest is up to how many bytes of a string strace writes: more than any write
// has.
const longest = "16777216"

// Record runs a program to its end, and writes its system calls to a file, for
// [ReadCalls]. It needs strace.
func Record(program *exec.Cmd, trace string) error {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return fmt.Errorf("record system calls: %w", err)
	}
	name := program.Path
	program.Args = append([]string{strace, "-f", "-qq", "-xx", "-s", longest, "-e", "signal=none", "-e", "trace=" + traced(), "-o", trace, name}, program.Args[1:]...)
	program.Path = strace
	if err := program.Run(); err != nil {
		return fmt.Errorf("record the system calls of %s: %w", name, err)
	}
	return nil
}

// ReadCalls reads the file that [Record] wrote.
func ReadCalls(trace string) ([]Call, error) {
	file, err := os.Open(trace)
	if err != nil {
		return nil, err
	}
	calls, err := Calls(file)
	return calls, errors.Join(err, file.Close())
}
