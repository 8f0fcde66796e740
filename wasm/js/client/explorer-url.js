// The address of the explorer for a page's store. explorer.js reads it.

import { SandtableError } from "./errors.js";
import { checkedAccount, known, refuseOption, WELL_KNOWN } from "./options.js";

/** @import { Host } from "./client.js" */
/** @import { ExplorerOptions } from "./sandtable.d.ts" */

const TABLE = /^[A-Za-z][A-Za-z0-9]{2,62}$/;

/** @typedef {Pick<Host, "base" | "explorer">} Place */

/** @param {Place} place */
const scopeOf = ({ base }) => new URL("..", base).href;

/**
 * The worker says where the explorer is: in its own folder. The address names the
 * scope only if that is not the folder above.
 *
 * @param {Place} place
 * @param {ExplorerOptions} [options]
 */
export function explorerUrl(place, options) {
  const { account, table } = known("openExplorer", options, ["account", "table"]);
  if (place.explorer === undefined) {
    throw new SandtableError("NoExplorer", "Only pages have an explorer, and only with a worker of their own version.");
  }
  const url = new URL(place.explorer);
  if (url.origin !== location.origin) {
    throw new SandtableError("NoExplorer", `The explorer is at ${url}, and only a page of this origin reaches this page's store: copy sandtable-worker.js, the engine and the folder explorer/ to this site.`);
  }
  if (table !== undefined && !TABLE.test(table)) {
    refuseOption("openExplorer", `${JSON.stringify(table)} is not a table's name.`);
  }
  if (account !== undefined || table !== undefined) {
    url.searchParams.set("account", checkedAccount("openExplorer", account ?? WELL_KNOWN));
  }
  if (table !== undefined) {
    url.searchParams.set("table", table);
  }
  const scope = scopeOf(place);
  if (scope !== url.origin + url.pathname && scope !== new URL("..", place.explorer).href) {
    url.searchParams.set("store", new URL(scope).pathname);
  }
  return url.href;
}

/**
 * Opens one window for each store: a second call shows it again.
 *
 * @param {Place} place
 * @param {ExplorerOptions} [options]
 */
export function openExplorer(place, options) {
  const url = explorerUrl(place, options); // first: without an explorer there may be no window, as in Node.js
  const opened = window.open(url, "sandtable explorer " + scopeOf(place));
  if (opened === null) {
    throw new SandtableError("PopupBlocked", "The browser did not open a window: call openExplorer() when the user clicks something, or make a link to explorerUrl().");
  }
  return opened;
}
