// The colours of a file of HTTP requests, as a stream parser of CodeMirror.
// web/httpfile says what such a file looks like; this reads it only roughly.

/** The parts of a request. */
const BEFORE = 0;
const HEADERS = 1;
const BODY = 2;

export const httpMode = {
  name: "http",
  languageData: { commentTokens: { line: "#" } },
  startState: () => ({ part: BEFORE }),
  blankLine(state) {
    if (state.part === HEADERS) {
      state.part = BODY;
    }
  },
  token(stream, state) {
    if (stream.sol() && stream.match(/^###.*/)) {
      state.part = BEFORE;
      return "comment";
    }
    return state.part === BODY ? bodyToken(stream) : headToken(stream, state);
  },
};

/** A token of the line with the method, of the URL's query or of a header. */
function headToken(stream, state) {
  if (stream.sol()) {
    if (stream.match(/^\s*(#|\/\/).*/)) {
      return "comment";
    }
    if (stream.match(/^\s*$/)) { // only spaces: as empty as a blank line
      httpMode.blankLine(state);
      return null;
    }
    if (state.part === BEFORE) {
      state.part = HEADERS;
      return stream.match(/^\s*[A-Z]+(?= )/) ? "keyword" : skip(stream);
    }
    if (stream.match(/^\s*[?&][^=]*=?/) || stream.match(/^[^:\s]+:/)) {
      return "meta";
    }
  }
  return skip(stream);
}

/** A token of a body, which is JSON most of the time. */
function bodyToken(stream) {
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) {
    return stream.match(/^\s*:/, false) ? "propertyName" : "string";
  }
  if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) {
    return "number";
  }
  if (stream.match(/^(?:true|false|null)\b/)) {
    return "bool";
  }
  stream.next();
  return null;
}

function skip(stream) {
  stream.skipToEnd();
  return null;
}
