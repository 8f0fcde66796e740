package page

import "sandtable/web/browser"

// ThrowAway reports whether a playground made an account for its programs, as
// web/assets/js/playground.js records it. Only the playground leads to such an
// account; it ends with its page.
func ThrowAway(account string) bool {
	_, recorded := browser.Load("sandtable playground "+account, func(int) bool { return true })
	return recorded
}
