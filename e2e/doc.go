// Package e2e holds the end-to-end tests, grouped by what they drive: app (the
// page and its worker), embed (Sandtable in other people's pages), native (the
// server program) and node (the engine inside Node.js). It is a module of its
// own, so that the SDKs it tests with are no dependencies of Sandtable.
package e2e
