package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// peer is one of the compared programs.
type peer struct {
	name    string
	command func(folder string) ([]string, error) // program and arguments; it listens on a loopback port
	ready   *regexp.Regexp                        // matches the line that it prints when it listens; the first group is host:port
}

// sandtable is our program.
func sandtable(program, durability string) *peer {
	return &peer{
		name: "Sandtable",
		command: func(folder string) ([]string, error) {
			return []string{program, "serve", "-data", folder, "-addr", "127.0.0.1:0", "-quiet", "-durability", durability}, nil
		},
		ready: regexp.MustCompile(`REST API on http://(127\.0\.0\.1:\d+)`),
	}
}

// azurite is the npm package's table program; folder contains its package.json.
// It stores its data on disk, which is its default.
func azurite(folder string) *peer {
	return &peer{
		name: "Azurite",
		command: func(data string) ([]string, error) {
			port, err := freePort() // it prints port 0 as 0
			return []string{"node", filepath.Join(folder, "dist/src/table/main.js"), "--location", data, "--tableHost", "127.0.0.1",
				"--tablePort", port, "--silent", "--skipApiVersionCheck", "--disableTelemetry"}, err
		},
		ready: regexp.MustCompile(`successfully started on (127\.0\.0\.1:\d+)`),
	}
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// process is a running peer.
type process struct {
	peer    *peer
	client  *client
	command *exec.Cmd
	ended   chan struct{}
}

// startTime limits how long a server may take until it listens.
const startTime = 30 * time.Second

// start runs a peer on a folder and returns when it listens.
func (p *peer) start(ctx context.Context, folder string) (*process, error) {
	args, err := p.command(folder)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	at, ended := make(chan string, 1), make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if m := p.ready.FindSubmatch(lines.Bytes()); m != nil {
				at <- string(m[1])
			}
		}
		command.Wait() // it ends by being killed, so its status is meaningless
		close(ended)
	}()
	running := &process{peer: p, command: command, ended: ended}
	select {
	case host := <-at:
		running.client = newClient(host)
		return running, nil
	case <-ended:
		return nil, fmt.Errorf("%s ended before it listened: %s", p.name, stderr.Bytes())
	case <-time.After(startTime):
		running.kill()
		return nil, fmt.Errorf("%s did not listen within %v", p.name, startTime)
	}
}

// kill sends SIGKILL and returns when the process has ended.
func (r *process) kill() {
	r.command.Process.Kill() // an error means that it has already ended
	<-r.ended
	if r.client != nil {
		r.client.http.CloseIdleConnections()
	}
}

// rss returns the current and the peak resident memory in bytes.
func (r *process) rss() (now, peak int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.command.Process.Pid))
	if err != nil {
		return 0, 0, fmt.Errorf("read memory from /proc: %w", err)
	}
	now, peak = kilobytes(string(status), "VmRSS:"), kilobytes(string(status), "VmHWM:")
	if now == 0 || peak == 0 {
		return 0, 0, errors.New("no VmRSS and VmHWM in /proc")
	}
	return now, peak, nil
}

// tick is the unit of processor time in /proc, on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// processor returns the process's processor time, or 0 without /proc.
func (r *process) processor() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.command.Process.Pid))
	if err != nil {
		return 0
	}
	return ticks(string(stat))
}

// ticks adds fields 14 and 15 of a line of /proc/PID/stat, user and kernel time.
// Field 2 is in parentheses and may contain spaces.
func ticks(stat string) time.Duration {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	kernel, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return time.Duration(user+kernel) * tick
}

// kilobytes returns the size in a line like "VmRSS:    9048 kB" in bytes, or 0.
func kilobytes(status, field string) int64 {
	_, rest, _ := strings.Cut(status, field)
	words := strings.Fields(rest)
	if len(words) < 2 || words[1] != "kB" {
		return 0
	}
	n, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return 0
	}
	return n * 1024
}
