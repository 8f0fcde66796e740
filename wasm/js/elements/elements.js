// What documentation pages include, bundled as elements.js.

import { Grid } from "./grid.js";
import { Playground } from "./playground.js";

for (const [name, element] of /** @type {const} */ ([["sandtable-grid", Grid], ["sandtable-playground", Playground]])) {
  if (customElements.get(name) === undefined) { // the script may be included twice
    customElements.define(name, element);
  }
}

export { Grid, Playground };
