package powertest

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestCalls(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		want        []Call
	}{
		{"nothing", "", nil},
		{"a string and numbers", `12  pwrite64(5, "\x61\x22\x29\x00", 4, 4096) = 4`, []Call{{"pwrite64", []string{"5", "a\")\x00", "4", "4096"}, 4}}},
		{"a line's end", "12 fsync(3)     = 0\n13 close(3) = 0\n", []Call{{"fsync", []string{"3"}, 0}, {"close", []string{"3"}, 0}}},
		{"no arguments", "12 sync() = 0", []Call{{"sync", nil, 0}}},
		{"an empty string", `12 openat(AT_FDCWD, "", O_RDONLY) = 3`, []Call{{"openat", []string{"AT_FDCWD", "", "O_RDONLY"}, 3}}},
		{"a failed call", `12 unlinkat(AT_FDCWD, "\x61", 0) = -1 ENOENT (No such file or directory)`, []Call{{"unlinkat", []string{"AT_FDCWD", "a", "0"}, -1}}},
		{"an address", `12 mmap(NULL, 4096, PROT_READ, MAP_SHARED, 5, 0) = 0x7f12`, []Call{{"mmap", []string{"NULL", "4096", "PROT_READ", "MAP_SHARED", "5", "0"}, 0x7f12}}},
		{"an explained result", `12 fcntl(5, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)`, []Call{{"fcntl", []string{"5", "F_GETFL"}, 0x8002}}},
		{"a structure", `12 writev(1, [{iov_base="\x61", iov_len=1}, {iov_base="\x62", iov_len=1}], 2) = 2`, []Call{
			{"writev", []string{"1", "[{iov_base=a, iov_len=1}, {iov_base=b, iov_len=1}]", "2"}, 2}}},
		{"calls that overlap", "12 pwrite64(5, \"\\x61\", 1, 0 <unfinished ...>\n13 fsync(6 <unfinished ...>\n12 <... pwrite64 resumed>) = 1\n13 <... fsync resumed>)  = 0", []Call{
			{"pwrite64", []string{"5", "a", "1", "0"}, 1}, {"fsync", []string{"6"}, 0}}},
		{"signals and thread exits", "12 --- SIGURG {si_signo=SIGURG} ---\n13 +++ exited with 0 +++\n12 +++ killed by SIGKILL +++", nil},
		{"a call without an end", "12 fsync(5 <unfinished ...>\n13 fsync(5) = ?\n12 +++ killed by SIGKILL +++", nil},
		{"a thread that strace detaches from", "12 ???( <detached ...>\n13 fsync(3 <detached ...>", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Calls(strings.NewReader(c.trace))
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestCallsRefuses(t *testing.T) {
	for _, trace := range []string{
		"words",
		"12",
		"12 ",
		"twelve fsync(3) = 0",
		"12 fsync(3)",
		"12 fsync(3) = none",
		"12 fsync(3",
		"12 (3) = 0",
		"12 <... fsync resumed>) = 0",
		"12 fsync(3 <unfinished ...>\n12 <... fsync",
		`12 write(1, "\x61`,
		`12 write(1, "\x61"..., 4) = 4`,
		`12 write(1, "a", 1) = 1`,
		`12 write(1, "abcd", 4) = 4`,
		`12 write(1, "\x6g", 1) = 1`,
	} {
		if calls, err := Calls(strings.NewReader("9 fsync(3) = 0\n" + trace)); !errors.Is(err, errTrace) || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: got %v, %v", trace, calls, err)
		}
	}
}

// FuzzCalls parses arbitrary traces and simulates a power failure after each call.
func FuzzCalls(f *testing.F) {
	f.Add(`1 openat(AT_FDCWD, "\x2f\x64\x2f\x61", O_RDWR|O_CREAT, 0600) = 3
1 pwrite64(3, "\x61", 1, 700) = 1
2 fsync(3 <unfinished ...>
1 ftruncate(3, 9) = 0
2 <... fsync resumed>) = 0
1 linkat(AT_FDCWD, "\x2f\x64\x2f\x61", AT_FDCWD, "\x2f\x64\x2f\x62", 0) = 0
1 mkdirat(AT_FDCWD, "\x2f\x64\x2f\x63", 0700) = 0
1 rename("\x2f\x64\x2f\x62", "\x2f\x64\x2f\x65") = 0
1 unlinkat(AT_FDCWD, "\x2f\x64\x2f\x61", 0) = 0
1 openat(AT_FDCWD, "\x2f\x64", O_RDONLY) = 4
1 fsync(4) = 0
`)
	f.Fuzz(func(t *testing.T, trace string) {
		calls, err := Calls(strings.NewReader(trace))
		if err != nil || len(calls) > 20 {
			return
		}
		d := &Disk{root: newFolder()}
		d.Start()
		random := rand.New(rand.NewPCG(1, 1))
		for _, c := range calls {
			if len(c.Args) > 1 && c.Name == "ftruncate" && len(c.Args[1]) > 5 || c.Name == "pwrite64" && len(c.Args) > 3 && len(c.Args[3]) > 5 {
				return // it would take too long
			}
			if _, err := d.Apply("/d", c); err != nil {
				return
			}
			for s := range d.Failures(random) {
				s.Sum()
			}
		}
	})
}
