// Package bulkedit is the dialog that changes one property of many entities: it
// sets, removes or renames it, or changes its type. It shows what would change
// before it writes, and accounts for every entity after. The entities page
// places it over its grid, and implements [Owner].
package bulkedit
