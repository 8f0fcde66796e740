// The style of the elements: the explorer's tokens and editor, and a sheet of their
// own. Constructed sheets need no style-src in the page's policy.

import editor from "../../../web/assets/css/editor.css";
import tokens from "../../../web/assets/css/tokens.css";
import own from "./elements.css";

const declarations = /(--[a-z0-9-]+): ([^;]+);/g;

/**
 * Returns the tokens for a shadow root. The page sets no theme on it, so each colour
 * follows the page's color-scheme.
 *
 * @param {string} css
 */
function adapted(css) {
  const [constant, light, dark] = css.split(/^(?:\[data-theme="(?:light|dark)"\]|:root,\n\[data-theme="light"\]) \{$/m);
  const inDark = new Map([...dark.matchAll(declarations)].map(([, name, value]) => [name, value]));
  const colours = [...light.matchAll(declarations)].map(([, name, value]) => (name === "--shadow" ? `${name}: ${value};` : `${name}: light-dark(${value}, ${inDark.get(name)});`));
  return `:host {\n${[...constant.matchAll(declarations)].map(([all]) => all).join("\n")}\n${colours.join("\n")}\n}\n`;
}

/** @returns {CSSStyleSheet} */
function sheetOf() {
  const sheet = new CSSStyleSheet();
  const shared = adapted(tokens) + editor.replaceAll("code-editor", ".editor");
  // A rem is whatever the embedding page makes it.
  sheet.replaceSync(shared.replace(/([\d.]+)rem\b/g, (_, rem) => `${16 * Number(rem)}px`) + own);
  return sheet;
}

/** @type {CSSStyleSheet | undefined} */
let sheet;

/** @param {ShadowRoot} root */
export function style(root) {
  sheet ??= sheetOf();
  root.adoptedStyleSheets = [sheet];
}
