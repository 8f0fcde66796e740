// Package lesson reads the lessons of the classroom and checks what a learner's
// program did. docs/lessons.md describes the folder of a lesson.
//
// A [Lesson] is data: Markdown, starting tables, code, and checks made of a few
// declarative rules. There is no code in a check. A check looks at a [Run], which
// is what really happened: the requests that the program sent, the tables
// afterwards, and what was printed. It never sees the program, so each way to a
// right answer passes. Runs start with the lesson's data and nothing else, which
// makes checks deterministic.
//
// [Validate] reports every [Problem] of one folder by file and line. [Pack] joins
// the folders of a course into the one file that pages fetch, [Unpack] reads it.
// Files may come from anywhere, so sizes are limited while reading, and
// the Markdown is a small subset that becomes [Block] values: there is no HTML in
// it. A full Markdown library would add more to the page's download than the
// lessons themselves have.
//
// lesson.go has the types, load.go and parse.go the folder, data.go the starting
// tables, markdown.go the texts, rule.go and request.go the checks, pack.go the
// file of a course.
package lesson
