// What pages and workers say to each other. Each message names the version of
// this protocol as its member "sandtable"; all others are a site's own.
//
// To a worker: connect (with a MessagePort), claim, take over, stay.
// On a port, the worker first says what it is:
//
//	{ sandtable, type: "waiting" }, only if connect has "waits": another tab has the engine
//	{ sandtable, type: "connected", build, life, line?, pings }
//
// and then serves requests. An answer's body is bytes; a long one comes in
// pieces, each asked for, so that nobody holds more than one of them:
//
//	{ id, head, body }  ->  { id, status, head, body }
//	                    or  { id, status, head, stream: true }, and then
//	{ id, more: true }  ->  { id, piece }, the last without a piece
//	{ id, cancel: true }
//	                    or  { id, foreign: true }: not ours, the network's
//
// The page says on each port which Web Lock it holds as long as it uses that: who
// is granted the lock knows that nobody reads there any more.
//
//	{ page }
//
// A page that wants to be told of changes, of requests, and of how the worker is,
// says so; of the last it is told at once, and when it changes:
//
//	{ watch: ["change", "request", "state"] }  ->  { event, detail }, any number of times
//
// A worker whose lock is held and which says nothing may be suspended. One that
// has said that it "pings" is asked:
//
//	{ ping, id? }  ->  { pong, id? }
//
// A life is the name of a Web Lock that is held for as long as the engine's
// worker lives: who is granted it knows that no answer will come any more.

const PROTOCOL = 1;

/** The channel on which a worker says that it has begun to live: whoever watched its last life connects again. */
const awakening = (scope) => "sandtable awake " + scope;

/** A lock that is held as long as this context lives, or until a promise is fulfilled; fulfilled with its name. */
function live(name, until = new Promise(() => {})) {
  return new Promise((resolve, reject) => {
    const hold = () => {
      resolve(name);
      return until;
    };
    navigator.locks.request(name, hold).catch(reject);
  });
}
