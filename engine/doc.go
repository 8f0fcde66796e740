// Package engine keeps accounts, tables and entities in trees and makes their
// changes durable in a [Storage]. It knows no HTTP and no browser.
package engine
