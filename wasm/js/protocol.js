// The messages between pages and workers. Each names the version of this
// protocol as its member "sandtable"; all other messages are the site's own.
//
// To all pages of a scope: state, install failed, taking over.
//
// To a worker: connect (with a MessagePort), claim, activate, keepAlive, offline.
// On the port, the worker first sends its state:
//
//	{ sandtable, type: "waiting" }: another tab has the engine, this may take a while
//	{ sandtable, type: "connected", build, instance, explorer, channel? }
//
// and then serves requests. The explorer is the URL of its page. With a channel,
// the engine is in another tab, and the page uses that BroadcastChannel in place of
// the port. An answer's body is bytes; a long one is sent in chunks on request, so that at most one is in memory:
//
//	{ id, head, body }  ->  { id, status, head, body }
//	                    or  { id, status, head, stream: true }, and then
//	{ id, more: true }  ->  { id, chunk }; the last has the chunk null
//	{ id, cancel: true }
//	                    or  { id, foreign: true }: not ours, the network's
//
// On each port the page names the Web Lock that it holds while it uses the port:
// when the worker is granted that lock, the page is gone.
//
//	{ page }
//
// A page subscribes to changes, to requests, and to the worker's state. It gets
// the state at once, and whenever it changes:
//
//	{ watch: ["change", "request", "state"] }  ->  { event, detail }, any number of times
//
// With "values" among them, changes of entities have the entity before and after.
//
// A silent worker whose lock is held may be suspended:
//
//	{ ping, id? }  ->  { pong, id? }
//
// An instance is the name of a Web Lock that the engine's worker holds as long as
// it runs: when a page is granted that lock, no answer will come any more.

/** @import { EngineState } from "./engine.js" */

export const PROTOCOL = 1;

/**
 * What a program reports: nothing, changes and requests, or these with the values of
 * changed entities.
 *
 * @typedef {"nothing" | "events" | "values"} Watched
 */

/**
 * What a program has to report for listeners of these events.
 *
 * @param {readonly string[]} names
 * @returns {Watched}
 */
export function watched(names) {
  if (!names.includes("change") && !names.includes("request")) {
    return "nothing";
  }
  return names.includes("values") ? "values" : "events";
}

/**
 * How a program ended without being closed. "superseded": another worker stole its
 * store; "deleted": the browser deleted its store.
 *
 * @typedef {"crashed" | "superseded" | "deleted"} End
 */

/**
 * A worker's state, as sent to pages.
 *
 * @typedef {object} OwnState
 * @property {number} sandtable the version of the protocol
 * @property {string} build
 * @property {boolean | null} full whether the last write found no space; null if no write has shown it
 * @property {End} [happened] how the engine ended, in the notification of that
 * @typedef {OwnState & EngineState} WorkerState
 */

/**
 * The name of the channel on which a worker announces its start, so that pages which
 * watched its last instance reconnect.
 *
 * @param {string} scope
 */
export const startChannel = (scope) => "sandtable started " + scope;

/**
 * Acquires a lock and holds it until a promise is fulfilled or this context ends.
 *
 * @param {Pick<LockManager, "request">} locks
 * @param {string} name
 * @param {Promise<unknown>} until
 * @returns {Promise<string>} fulfilled with the name when the lock is held
 */
export function hold(locks, name, until) {
  return new Promise((resolve, reject) => {
    const held = () => {
      resolve(name);
      return until;
    };
    locks.request(name, held).catch(reject);
  });
}
