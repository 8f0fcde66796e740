// The field for code on the playground's and the lessons' page, as a person uses it.

/** @param {() => object} page the page of the app */
export function codeEditor(page) {
  const field = "code-editor";
  return {
    /** Waits until the editor has taken the place of the textarea. */
    ready: () => page().waitForSelector(field + "[data-ready]", { visible: true }),

    text: () => page().evaluate((field) => document.querySelector(field).value, field),

    /** What can be seen of the text, without the line numbers. */
    seen: () => page().evaluate((field) => [...document.querySelectorAll(field + " .cm-line")].map(({ textContent }) => textContent).join("\n"), field),

    /** Waits for a text, or for one with a part. */
    has: (text) => page().waitForFunction((field, text) => document.querySelector(field)?.value === text, {}, field, text),
    contains: (part) => page().waitForFunction((field, part) => document.querySelector(field)?.value.includes(part), {}, field, part),
    changed: (before) => page().waitForFunction((field, before) => document.querySelector(field).value !== before, {}, field, before),

    /** Replaces what is selected, as pasting does. */
    insert: (text) => page().evaluate((field, text) => {
      const event = new Event("paste", { bubbles: true, cancelable: true });
      Object.defineProperty(event, "clipboardData", { value: { getData: (type) => (type === "text/plain" ? text : "") } }); // Firefox makes no such ClipboardEvent
      document.querySelector(field + " .cm-content").dispatchEvent(event);
    }, field, text),

    /** Replaces the text. */
    async write(text) {
      await this.ready();
      await page().evaluate((field) => {
        const editor = document.querySelector(field);
        editor.select(0, editor.value.length);
      }, field);
      await this.insert(text);
      await this.has(text);
    },

    /** Puts the caret before a part of the text. */
    async goTo(part) {
      await this.ready();
      await page().evaluate((field, part) => {
        const editor = document.querySelector(field);
        const at = editor.value.indexOf(part);
        editor.select(at, at);
      }, field, part);
    },

    /** Waits until a text is selected in the editor, which has the focus. */
    selected: (text) => page().waitForFunction((field, text) => document.activeElement.matches(field + " .cm-content") && getSelection().toString() === text, {}, field, text),

    hasFocus: () => page().evaluate((field) => document.activeElement.closest(field) !== null, field),
  };
}
