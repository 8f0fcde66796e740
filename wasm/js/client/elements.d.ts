/**
 * `<sandtable-playground>` and `<sandtable-grid>`. Importing this module defines both.
 */

import type { Sandtable } from "./sandtable.js";

declare class SandtableElement extends HTMLElement {
  /** The store: what `start()` returned. Without it, the elements of a page start one of their own. */
  sandtable: Sandtable | null;
}

/** A program that readers change and run. Attributes: src, account, data, name, playground. */
export class Playground extends SandtableElement {}

/** The rows of a table, live. Attributes: account, table, filter, data. */
export class Grid extends SandtableElement {}

declare global {
  interface HTMLElementTagNameMap {
    "sandtable-playground": Playground;
    "sandtable-grid": Grid;
  }
}
