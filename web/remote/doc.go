// Package remote gives data that comes from elsewhere its four states: not
// asked for, on its way, failed, and there. Whatever shows such data draws all
// four.
package remote
