// A sandbox's end of the port that sandtable.connect answers.

import { CLOSED, PortRequests } from "../sandbox/port-requests.js";
import { fieldsOf } from "../answers.js";
import { SandtableError } from "./errors.js";
import { HttpClient } from "./http-client.js";

/** @import { Send } from "./control.js" */

/** @param {MessagePort} port */
export function createClient(port) {
  if (typeof port?.postMessage !== "function") {
    throw new SandtableError("InvalidOption", "createClient(): it takes the MessagePort whose other end sandtable.connect() has.");
  }
  let closed = ""; // why, once it is
  const failure = () => new SandtableError("Closed", closed);
  const requests = new PortRequests((message, transfer) => {
    if (closed !== "") throw failure();
    port.postMessage(message, transfer);
  });
  const end = (/** @type {string} */ reason) => {
    closed ||= reason;
    port.close();
    requests.end(failure());
  };
  port.onmessage = ({ data }) => (data === CLOSED ? end("The page disconnected.") : requests.receive(data));
  return {
    /** @type {typeof fetch} */
    fetch: (input, init) => requests.fetch(input, init),
    httpClient: new HttpClient(sender(requests), "REQUEST_SEND_ERROR"),
    close: () => end("close() was called before."),
  };
}

/**
 * @param {PortRequests} requests
 * @returns {Send}
 */
function sender(requests) {
  return async (head, body, signal) => {
    const end = head.indexOf("\n");
    const [line, fields] = end < 0 ? [head, ""] : [head.slice(0, end), head.slice(end + 1)];
    const space = line.indexOf(" ");
    const bytes = body === null ? null : body.slice().buffer; // a copy: the caller may send its bytes again
    const answer = await requests.send(line.slice(0, space), line.slice(space + 1), fieldsOf(fields), bytes, signal);
    const lines = answer.headers.map(([name, value]) => name + ":" + value);
    return { status: answer.status, head: lines.join("\n"), body: new Uint8Array(answer.body) };
  };
}
