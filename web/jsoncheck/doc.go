// Package jsoncheck says in words for people what keeps a text from being the JSON of
// an entity, and where. It is for texts that a decoder has refused already.
package jsoncheck
