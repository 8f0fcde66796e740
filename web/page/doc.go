// Package page is the contract between the shell and the pages: the [Route]
// that says where the user is, the [Session] through which a page reaches the
// endpoint and the shell, and the [Definition] with which it registers.
//
// A page is a go-app component with its own state. It embeds [Props], which the
// shell sets, and imports neither the shell nor another page. The shell mounts a
// new component for each account, table and page name; when only arguments of
// the route change it updates Props, and go-app calls OnUpdate. OnUpdate is also
// called when only Revision or Acts has changed: a page compares its route.
package page
