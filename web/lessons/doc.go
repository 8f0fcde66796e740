// Package lessons is the page that lists the lessons of a course, with a
// learner's progress. The lessons themselves are shown by the playground's page.
package lessons
