// A small endpoint for the page to connect to: its answers are what a test says,
// down to what no Sandtable would send.

import { createServer } from "node:http";
import { after, before } from "./test.mjs";

const cors = {
  "access-control-allow-origin": "*", "access-control-allow-methods": "*", "access-control-allow-headers": "*, authorization",
  "access-control-expose-headers": "*", "access-control-allow-private-network": "true",
};

/** An answer that refuses a request. */
export function refusal(status, code, message, headers = {}) {
  return { status, headers, body: { "odata.error": { code, message: { lang: "en-US", value: message } } } };
}

/** An answer with a list of entities, or of tables. */
export const list = (...value) => ({ status: 200, headers: {}, body: { value } });

/**
 * Registers hooks that serve the account "other" on a free port, and stop it.
 *
 * @param {(path: string, method: string) => {status: number, headers: object, body: object}} answer
 *   for a path below the account, such as "/Tables"; tests may replace the field
 */
export function otherEndpoint(answer) {
  const key = Buffer.from("a key that the endpoint does not check").toString("base64");
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    const { pathname } = new URL(request.url, "http://other");
    here.requests++;
    const { status, headers, body } = here.answer(decodeURIComponent(pathname).replace(/^\/other/, ""), request.method);
    response.writeHead(status, { ...cors, "content-type": "application/json", "x-ms-version": "2019-02-02", ...headers }).end(JSON.stringify(body));
  });
  const listen = (port) => new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  const here = {
    answer,
    requests: 0,
    port: 0,
    id: () => `other@127.0.0.1:${here.port}`,
    connection: () => `DefaultEndpointsProtocol=http;AccountName=other;AccountKey=${key};TableEndpoint=http://127.0.0.1:${here.port}/other`,
    /** Stops listening, and cuts what is connected. */
    stop: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
    /** Listens again, on the same port. */
    start: () => listen(here.port),
  };
  before(async () => {
    await listen(0);
    here.port = server.address().port;
  });
  after(() => server.listening && here.stop());
  return here;
}
