// Package entity is the panel in which one entity is shown, edited, added and
// deleted. The entities page places it next to its grid, and implements [Owner].
package entity
