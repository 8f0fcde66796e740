// What holds on every page, whatever was done before.

import { violations } from "../lib/axe.mjs";

// Rules that axe applies to the vendored editor, and to a list that is empty.
const accepted = /\.cm-scroller|\.empty/;

/** Returns what is wrong with the page as it is, a line each. */
export async function faults(page) {
  return page.evaluate(() => {
    const found = [];
    const text = document.body.innerText;
    // What Go and JavaScript write in place of a value. A lesson explains NaN together with Infinity.
    for (const sign of [/\bundefined\b/, /\bNaN\b(?!, Infinity)/, /<nil>/, /%!\w?\(/, /runtime error/, /\[object /, /\bpanic\b/]) {
      const at = text.search(sign);
      if (at >= 0) found.push(`text: ${text.slice(Math.max(0, at - 30), at + 50)}`);
    }
    const wider = document.documentElement.scrollWidth - innerWidth;
    if (wider > 1) found.push(`the page scrolls sideways by ${wider} px at ${innerWidth} px`);
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) found.push(`two elements have the id ${id}`);
    if (document.title === "") found.push("the page has no title");
    const { activeElement: focused, body } = document; // the body, if the focus is in the browser's own controls
    if (focused !== body && document.querySelector("dialog:modal") && !focused.closest("dialog:modal")) {
      found.push("the focus is behind the dialog");
    }
    return found;
  });
}

/** Returns the accessibility problems of the page, a line each. */
export async function barriers(page) {
  return (await violations(page)).filter((line) => !accepted.test(line));
}
