// How CodeMirror is set up for <code-editor>, see editor.js. Its colours are in
// css/editor.css.

import {
  bracketMatching, classHighlighter, closeBrackets, closeBracketsKeymap, closeSearchPanel, Decoration, defaultKeymap, EditorState, EditorView,
  findNext, findPrevious, GutterMarker, gutterLineClass, highlightActiveLine, highlightActiveLineGutter, history, historyKeymap, indentLess,
  indentMore, indentOnInput, indentUnit, javascriptLanguage, keymap, lineNumbers, openSearchPanel, RangeSet, search, StateEffect, StateField,
  StreamLanguage, syntaxHighlighting,
} from "./codemirror.js";
import { httpMode } from "./http-mode.js";

// Marks the request at the caret, which Ctrl+Enter sends: up to the next line with ###.
const requestMark = new (class extends GutterMarker {
  elementClass = "request";
})();
const requestAtCaret = gutterLineClass.compute(["doc", "selection"], ({ doc, selection }) => {
  const caret = doc.lineAt(selection.main.head).number;
  const text = (line) => doc.line(line).text;
  let first = caret;
  while (first > 1 && !text(first).startsWith("###")) {
    first--;
  }
  let last = caret;
  while (last < doc.lines && !text(last + 1).startsWith("###")) {
    last++;
  }
  while (last > caret && text(last).trim() === "") {
    last--;
  }
  return RangeSet.of(Array.from({ length: last - first + 1 }, (_, i) => requestMark.range(doc.line(first + i).from)));
});

const languages = { js: javascriptLanguage, http: [StreamLanguage.define(httpMode), requestAtCaret] };

/**
 * Shows CodeMirror with the text of a textarea, which is hidden and kept up to date.
 *
 * @param {HTMLElement} parent its data-language names one of the languages
 * @param {HTMLTextAreaElement} field
 */
export function createView(parent, field) {
  const { selectionStart: anchor, selectionEnd: head } = field;
  const names = ["aria-label", "aria-describedby"].map((name) => [name, field.getAttribute(name)]);
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: field.value,
      selection: { anchor, head },
      extensions: [
        languages[parent.dataset.language] ?? [],
        appearance,
        editing,
        leaving,
        errorLine,
        EditorView.contentAttributes.of(Object.fromEntries(names.filter(([, value]) => value !== null))),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) {
            field.value = state.doc.toString();
            field.dispatchEvent(new Event("input", { bubbles: true }));
          }
        }),
      ],
    }),
  });
  const focused = field.getRootNode().activeElement === field;
  field.hidden = true;
  if (focused) {
    view.focus();
  }
  return {
    destroy: () => view.destroy(),
    caret: () => view.state.selection.main.head,
    select(anchor, head) {
      view.focus();
      view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    },
    /** Marks a line until it is changed; 0 marks none. */
    markError(line) {
      const { doc } = view.state;
      view.dispatch({ effects: setError.of(line >= 1 && line <= doc.lines ? doc.line(line).from : -1) });
    },
  };
}

const appearance = [
  lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), bracketMatching(), syntaxHighlighting(classHighlighter), EditorView.lineWrapping,
];

/** Inserts a step of indentation, or indents the selected lines. */
function indent({ state, dispatch }) {
  if (state.selection.ranges.some(({ empty }) => !empty)) {
    return indentMore({ state, dispatch });
  }
  dispatch(state.update(state.replaceSelection(state.facet(indentUnit)), { scrollIntoView: true, userEvent: "input" }));
  return true;
}

// The labels of the search, written as ours are.
const phrases = {
  next: "Next", previous: "Previous", "match case": "Match case", regexp: "Regular expression", "by word": "Whole word",
  replace: "Replace", "replace all": "Replace all", close: "Close", "Replace": "Replace with",
};

const editing = [
  indentUnit.of("  "), EditorState.phrases.of(phrases), indentOnInput(), closeBrackets(), history(), search({ top: true }),
  keymap.of([
    { key: "Tab", run: indent, shift: indentLess },
    { key: "Mod-f", run: openSearchPanel, scope: "editor search-panel" },
    { key: "F3", run: findNext, shift: findPrevious, scope: "editor search-panel", preventDefault: true },
    { key: "Escape", run: closeSearchPanel, scope: "editor search-panel" },
    ...closeBracketsKeymap,
    ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), // the page runs the program with it
    ...historyKeymap,
  ]),
];

// After Escape, Tab moves the focus, until another key is pressed. CodeMirror
// itself leaves two seconds for that.
const modifiers = ["Shift", "Control", "Alt", "Meta"];
const leaving = EditorView.domEventObservers({
  keydown(event, view) {
    if (!modifiers.includes(event.key)) {
      view.setTabFocusMode(event.key === "Escape");
    }
  },
  blur: (_, view) => view.setTabFocusMode(false),
});

/** Where the marked line begins, -1 for none. */
const setError = StateEffect.define();
const errorMark = new (class extends GutterMarker {
  elementClass = "error-line";
})();
const errorLine = StateField.define({
  create: () => -1,
  update(at, { startState, changes, effects }) {
    if (at >= 0) {
      const { from, to } = startState.doc.lineAt(at);
      at = changes.touchesRange(from, to) ? -1 : changes.mapPos(at);
    }
    return effects.reduce((at, effect) => (effect.is(setError) ? effect.value : at), at);
  },
  provide: (field) => [
    EditorView.decorations.from(field, (at) => (at < 0 ? Decoration.none : Decoration.set(Decoration.line({ class: "error-line" }).range(at)))),
    gutterLineClass.from(field, (at) => (at < 0 ? RangeSet.empty : RangeSet.of(errorMark.range(at)))),
  ],
});
