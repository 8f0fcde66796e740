// Package editor is the field for code: a textarea that web/assets/js/editor.js
// replaces with an editor with highlighting and line numbers as soon as that is
// loaded. It is the same to pages: they draw it with a text, get an input event
// of the textarea whenever the text changes, and find the caret and lines here.
package editor
