// The explorer's port to the app's worker, for transactions: a fetch through a
// service worker costs the browser as much time as the engine needs to insert a
// hundred entities.

import { PROTOCOL } from "../protocol.js";
import { Connection } from "./connection.js";

/** @import { Answer, Body } from "../answers.js" */

const { serviceWorker } = navigator; // undefined where there are none
const post = (/** @type {string} */ type, /** @type {Transferable[]} */ ports = []) => serviceWorker.controller?.postMessage({ sandtable: PROTOCOL, type }, ports);
const connection = new Connection((port) => post("connect", [port]), { keepAlive: () => post("keepAlive") });
serviceWorker?.addEventListener("controllerchange", () => connection.replaced());

/**
 * Sends a request to this app's worker, for the page's program (web/client).
 *
 * @param {string} method
 * @param {string} url
 * @param {string} fields lines of the head after the first, each after a line feed
 * @param {Body} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer | null>} null if it has to be fetched: it is for another endpoint, or no worker controls the page
 */
async function send(method, url, fields, body, signal) {
  const { controller } = serviceWorker ?? {};
  if (!controller || !url.startsWith(new URL("./table/", controller.scriptURL).href)) {
    return null;
  }
  try {
    await connection.session();
  } catch {
    return null; // the worker is of another version, or does not listen
  }
  return connection.request(method + " " + url + fields, body, signal);
}

Object.assign(globalThis, { sandtableSend: send });
