//go:build !js

package web

import (
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sandtable/web/entities"
)

var (
	comment    = regexp.MustCompile(`(?s)/\*.*?\*/`)
	definition = regexp.MustCompile(`(--[a-z0-9-]+)\s*:\s*([^;]+);`)
	usage      = regexp.MustCompile(`var\((--[a-z0-9-]+)\)`)
	colour     = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(rgb|rgba|hsl|hsla|oklch)\(`)
)

func readCSS(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("assets", "css", name))
	if err != nil {
		t.Fatal(err)
	}
	return comment.ReplaceAllString(string(text), "")
}

// tokens returns what the block of tokens.css with this selector defines.
func tokens(t *testing.T, css, selector string) map[string]string {
	t.Helper()
	_, rest, ok := strings.Cut(css, selector+" {")
	if !ok {
		t.Fatalf("tokens.css has no block %q", selector)
	}
	block, _, _ := strings.Cut(rest, "}")
	all := map[string]string{}
	for _, m := range definition.FindAllStringSubmatch(block, -1) {
		if _, twice := all[m[1]]; twice {
			t.Errorf("%s: %s is defined twice", selector, m[1])
		}
		all[m[1]] = m[2]
	}
	return all
}

func names(m map[string]string) []string {
	var all []string
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func TestThemesDefineTheSamePurposes(t *testing.T) {
	css := readCSS(t, "tokens.css")
	light := names(tokens(t, css, "[data-theme=\"light\"]"))
	dark := names(tokens(t, css, "[data-theme=\"dark\"]"))
	if !slices.Equal(light, dark) {
		t.Errorf("light and dark define different sets:\n%v\n%v", light, dark)
	}
	if len(light) < 30 {
		t.Errorf("only %d purposes found", len(light))
	}
}

func TestStylesUsePurposesOnly(t *testing.T) {
	css := readCSS(t, "tokens.css")
	defined := map[string]bool{}
	for _, m := range definition.FindAllStringSubmatch(css, -1) {
		defined[m[1]] = true
	}
	used := map[string]bool{}
	for _, m := range usage.FindAllStringSubmatch(css, -1) {
		used[m[1]] = true
	}
	files, err := filepath.Glob(filepath.Join("assets", "css", "*.css"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "tokens.css" {
			continue
		}
		text := readCSS(t, name)
		if found := colour.FindString(text); found != "" {
			t.Errorf("%s has a colour of its own: %s", name, found)
		}
		for _, m := range usage.FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
			if strings.HasPrefix(m[1], "--base-") {
				t.Errorf("%s uses the base value %s", name, m[1])
			}
			if !defined[m[1]] {
				t.Errorf("%s uses %s, which nothing defines", name, m[1])
			}
		}
	}
	for name := range defined {
		if !used[name] {
			t.Errorf("nothing uses %s", name)
		}
	}
}

// TestContrast holds text to WCAG's ratio of 4.5 on what it stands on.
func TestContrast(t *testing.T) {
	css := readCSS(t, "tokens.css")
	base := tokens(t, css, ":root")
	pairs := [][2]string{
		{"--text", "--bg-page"}, {"--text", "--bg-surface"}, {"--text-soft", "--bg-quiet"}, {"--text-quiet", "--bg-surface"},
		{"--text-quiet", "--bg-quiet"}, {"--text-on-accent", "--bg-accent"}, {"--text-on-accent", "--bg-accent-hover"},
		{"--text-error", "--bg-surface"}, {"--text-error", "--bg-error"}, {"--text-good", "--bg-good"}, {"--text", "--bg-notice"},
		{"--text-accent", "--bg-notice"}, {"--text-accent", "--bg-current"},
		{"--text-accent", "--bg-hover"}, {"--text-quiet", "--bg-selected"}, {"--text-quiet", "--bg-hover"}, {"--text-on-inverse", "--bg-inverse"}, {"--text-accent-on-inverse", "--bg-inverse"}, {"--value-number", "--bg-surface"},
		{"--value-boolean", "--bg-surface"}, {"--value-date", "--bg-surface"}, {"--value-number", "--bg-selected"}, {"--text", "--bg-current"},
	}
	for _, theme := range []string{"light", "dark"} {
		purposes := tokens(t, css, "[data-theme=\""+theme+"\"]")
		for _, pair := range pairs {
			front, back := resolve(t, base, purposes[pair[0]]), resolve(t, base, purposes[pair[1]])
			if ratio := contrast(front, back); ratio < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f", theme, pair[0], pair[1], ratio)
			}
		}
	}
}

// resolve returns the luminance of a purpose's colour.
func resolve(t *testing.T, base map[string]string, value string) float64 {
	t.Helper()
	if m := usage.FindStringSubmatch(value); m != nil {
		value = base[m[1]]
	}
	if len(value) != 7 || value[0] != '#' {
		t.Fatalf("%q is no colour", value)
	}
	luminance := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(value[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			luminance += weight * c / 12.92
		} else {
			luminance += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return luminance
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

func TestCodeAgreesWithTokens(t *testing.T) {
	css := readCSS(t, "tokens.css")
	for token, want := range map[string]string{
		"--size-row":        fmt.Sprintf("%dpx", entities.RowHeight),
		"--size-row-narrow": fmt.Sprintf("%dpx", entities.RowHeightNarrow),
	} {
		if !strings.Contains(css, token+": "+want+";") {
			t.Errorf("the code takes %s for %s", want, token)
		}
	}
	light, base := tokens(t, css, "[data-theme=\"light\"]"), tokens(t, css, ":root")
	page := base[usage.FindStringSubmatch(light["--bg-page"])[1]]
	if colours := []string{backgroundColor, themeColor}; !slices.Equal(colours, []string{page, page}) {
		t.Errorf("the page begins in %v and continues in %s", colours, page)
	}
	if !strings.Contains(readCSS(t, "grid.css"), fmt.Sprintf("max-width: %d.98px", entities.NarrowWidth-1)) {
		t.Error("the code and grid.css differ on what is narrow")
	}
	if !strings.Contains(readCSS(t, "grid.css"), fmt.Sprintf("height: %dpx", entities.HeadHeight)) {
		t.Error("the code and grid.css differ on the height of the head")
	}
}

// TestFontSizesFollowTheUsers: a browser's default font size changes no pixels.
func TestFontSizesFollowTheUsers(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("assets", "css", "*.css"))
	if err != nil {
		t.Fatal(err)
	}
	bounds := regexp.MustCompile(`\b(min|max)\((var\([^)]*\)|[^)])*\)`)
	pixels := regexp.MustCompile(`(font(-size)?|--size-(text|code)[a-z-]*):[^;}]*\dpx[^;}]*`)
	for _, file := range files {
		for _, found := range pixels.FindAllString(bounds.ReplaceAllString(readCSS(t, filepath.Base(file)), ""), -1) {
			t.Errorf("%s: %s", filepath.Base(file), found)
		}
	}
}

// TestHandlerNamesFilesThatExist: a missing file would break the installation
// of the offline cache as a whole.
func TestHandlerNamesFilesThatExist(t *testing.T) {
	h := Handler("v")
	files := slices.Concat(h.Styles, h.Scripts, h.CacheableResources, []string{h.Icon.Default, h.Icon.Large, h.Icon.Maskable, h.Icon.SVG})
	for _, file := range files {
		path, local := strings.CutPrefix(file, "/web/")
		if !local {
			t.Errorf("%s is not a local file", file)
			continue
		}
		if _, err := os.Stat(filepath.Join("assets", filepath.FromSlash(path))); err != nil {
			t.Error(err)
		}
	}
	for name, size := range map[string]int{"icon-192.png": 192, "icon-512.png": 512, "icon-maskable.png": 512} {
		f, err := os.Open(filepath.Join("assets", "img", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if c, err := png.DecodeConfig(f); err != nil || c.Width != size || c.Height != size {
			t.Errorf("%s: %v %dx%d", name, err, c.Width, c.Height)
		}
	}
}
