//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// browser is an installed browser.
type browser struct {
	name string
	path string
	// arguments makes it open a URL with a new profile.
	arguments func(profile, address string) []string
	// environment is added to ours.
	environment func(profile string) []string
	// screen: it needs a screen to draw on.
	screen bool
}

// known are the browsers by their names in BROWSER, with their possible locations.
var known = []struct {
	browser
	override string // the variable with its path
	paths    []string
	packages string // of Debian
}{
	{
		browser: browser{
			name: "chromium",
			arguments: func(profile, address string) []string {
				return []string{
					"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
					"--disable-background-networking", "--disable-component-update", "--disable-sync",
					"--no-first-run", "--user-data-dir=" + profile, address,
				}
			},
			environment: func(profile string) []string { return []string{"TMPDIR=" + profile} }, // it leaves a folder there
		},
		override: "CHROME",
		paths:    []string{"chromium", "chromium-browser", "google-chrome"},
		packages: "chromium",
	},
	{
		browser: browser{
			name: "firefox",
			arguments: func(profile, address string) []string {
				return []string{"--headless", "--no-remote", "--profile", profile, address}
			},
			environment: func(string) []string { return []string{"MOZ_CRASHREPORTER_DISABLE=1"} },
		},
		override: "FIREFOX",
		paths:    []string{"firefox-esr", "firefox"},
		packages: "firefox-esr",
	},
	{
		browser: browser{
			name:      "webkit",
			arguments: func(_, address string) []string { return []string{address} },
			environment: func(profile string) []string {
				return []string{"XDG_DATA_HOME=" + profile, "XDG_CACHE_HOME=" + profile, "GDK_BACKEND=x11", "NO_AT_BRIDGE=1"}
			},
			screen: true,
		},
		paths:    []string{"/usr/lib/*/webkit2gtk-4.1/MiniBrowser"},
		packages: "webkit2gtk-driver xvfb",
	},
}

// find finds a browser by its name; Chromium if it is empty.
func find(name string) (browser, error) {
	if name == "" {
		name = known[0].name
	}
	for _, k := range known {
		if k.name != name {
			continue
		}
		if k.path = locate(os.Getenv(k.override), k.paths); k.path == "" {
			return browser{}, fmt.Errorf("%s is missing: apt-get install %s", name, k.packages)
		}
		return k.browser, nil
	}
	return browser{}, fmt.Errorf("BROWSER is %q, and none of chromium, firefox, webkit", name)
}

// locate returns the path of a program: the given one, or the first existing one of
// some names and patterns.
func locate(override string, paths []string) string {
	if override != "" {
		return override
	}
	for _, path := range paths {
		if found, _ := filepath.Glob(path); strings.Contains(path, "/") && len(found) > 0 {
			return found[0]
		}
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	return ""
}

// running is a browser that was started.
type running struct {
	leaders []*exec.Cmd    // of the browser's processes, and of its screen's
	waiting sync.WaitGroup // for them to end
	ended   chan error     // gets the error with which the browser ended
}

// start opens the address in a browser with a new profile.
func (b browser) start(profile, address string) (*running, error) {
	r := &running{ended: make(chan error, 1)}
	cmd := exec.Command(b.path, b.arguments(profile, address)...)
	cmd.Env = os.Environ()
	if b.environment != nil {
		cmd.Env = append(cmd.Env, b.environment(profile)...)
	}
	if b.screen {
		display, err := r.startScreen()
		if err != nil {
			r.stop()
			return nil, err
		}
		cmd.Env = append(cmd.Env, "DISPLAY="+display)
	}
	if os.Getenv("BROWSERTEST_LOG") != "" {
		cmd.Stderr = os.Stderr
	}
	if err := r.startGroup(cmd, r.ended); err != nil {
		r.stop()
		return nil, err
	}
	return r, nil
}

// startScreen starts a virtual X server and returns its display.
func (r *running) startScreen() (string, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer in.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-nolisten", "tcp", "-terminate")
	cmd.ExtraFiles = []*os.File{out}
	err = r.startGroup(cmd, make(chan error, 1))
	out.Close()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("no Xvfb: apt-get install xvfb")
	}
	if err != nil {
		return "", err
	}
	number, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("start Xvfb: %w", err)
	}
	return ":" + strings.TrimSpace(number), nil
}

// startGroup starts a program as the leader of a process group; the channel gets the
// error with which it ended.
func (r *running) startGroup(cmd *exec.Cmd, ended chan<- error) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.leaders = append(r.leaders, cmd)
	r.waiting.Go(func() { ended <- cmd.Wait() })
	return nil
}

// stop kills the browser with all its processes, and waits until they are gone.
func (r *running) stop() {
	for _, cmd := range r.leaders {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	r.waiting.Wait()
}
