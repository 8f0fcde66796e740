package lesson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// course is the file of a course: the folders of its lessons in their order.
type course struct {
	Format  int      `json:"sandtableLessons"`
	Lessons []folder `json:"lessons"`
}

type folder struct {
	Name  string            `json:"name"`
	Files map[string]string `json:"files"`
}

// The limits of a course.
const (
	format     = 1
	MaxCourse  = 4 << 20 // bytes of its file
	maxLessons = 100
)

// Folders returns the lessons' folders in a file system, which is itself one if it
// has a lesson.md.
func Folders(fsys fs.FS) ([]string, error) {
	if _, err := fs.Stat(fsys, "lesson.md"); err == nil {
		return []string{"."}, nil
	}
	found, err := fs.Glob(fsys, "*/lesson.md")
	if err != nil {
		return nil, err
	}
	for i, name := range found {
		found[i] = path.Dir(name)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no lesson.md in it or in a folder in it: %w", fs.ErrNotExist)
	}
	slices.Sort(found)
	folders := map[string]string{}
	for _, folder := range found {
		name, _ := lessonName(folder)
		if first, twice := folders[name]; twice {
			return nil, fmt.Errorf("there are two lessons %q: %s and %s", name, first, folder)
		}
		folders[name] = folder
	}
	return found, nil
}

// Files reads the files of a lesson's folder. Of a file that is too large it reads
// only enough for [Validate] to report it.
func Files(fsys fs.FS, folder string) (map[string]string, error) {
	entries, err := fs.ReadDir(fsys, folder)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, entry := range entries {
		if entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return nil, err
		}
		if info.Size() > maxFile {
			files[entry.Name()] = strings.Repeat(" ", maxFile+1)
			continue
		}
		content, err := fs.ReadFile(fsys, path.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		files[entry.Name()] = strings.TrimPrefix(string(content), "\ufeff") // which some editors write
	}
	return files, nil
}

// Pack joins folders of lessons, in their order, into the file of a course. Wrong
// answers and further right ones are left out: they are for tests.
func Pack(fsys fs.FS) ([]byte, error) {
	names, err := Folders(fsys)
	if err != nil {
		return nil, err
	}
	c := course{Format: format}
	for _, name := range names {
		files, err := Files(fsys, name)
		if err != nil {
			return nil, err
		}
		if problems := Validate(name, files); len(problems) > 0 {
			return nil, errors.New(problems[0].in(name).String())
		}
		maps.DeleteFunc(files, func(file, _ string) bool {
			code, _ := codeOf(file)
			return code.tests()
		})
		c.Lessons = append(c.Lessons, folder{name, files})
	}
	text, err := json.Marshal(c)
	if err == nil && (len(text) > MaxCourse || len(c.Lessons) > maxLessons) {
		err = fmt.Errorf("a course has at most %d lessons and %d bytes", maxLessons, MaxCourse)
	}
	return text, err
}

// Unpack reads the file of a course, in the first of the languages that each
// lesson has.
func Unpack(text []byte, languages []string) ([]Lesson, error) {
	if len(text) > MaxCourse {
		return nil, fmt.Errorf("a course has at most %d bytes", MaxCourse)
	}
	var c course
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("this is no file of lessons: %w", err)
	}
	if c.Format == 0 {
		return nil, errors.New("this is no file of lessons")
	}
	if c.Format != format {
		return nil, fmt.Errorf("these lessons have format %d, this page reads %d", c.Format, format)
	}
	if len(c.Lessons) == 0 || len(c.Lessons) > maxLessons {
		return nil, fmt.Errorf("a course has 1 to %d lessons", maxLessons)
	}
	var all []Lesson
	for _, f := range c.Lessons {
		l, problems := load(f.Name, f.Files, languages)
		if len(problems) > 0 {
			return nil, errors.New(problems[0].in(f.Name).String())
		}
		if _, _, twice := Of(all, l.Name); twice {
			return nil, fmt.Errorf("there are two lessons %q", l.Name)
		}
		all = append(all, l)
	}
	return all, nil
}
