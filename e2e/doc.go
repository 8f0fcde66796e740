// Package e2e holds the end-to-end tests, grouped by what they drive: app (the
// page and its worker), embed (Sandtable in embedding pages), native (the
// server program) and node (the engine inside Node.js). It is a module of its
// own, so that Sandtable does not depend on the SDKs under test.
package e2e
