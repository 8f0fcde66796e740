// Package course is what the pages of the lessons share: it fetches a course,
// keeps a learner's progress in this browser, and draws the texts of lessons.
package course
