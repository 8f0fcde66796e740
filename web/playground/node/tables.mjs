// @azure/data-tables and fetch, with the account of your connection string in
// place of the playground's, which needs no credentials.

import { createHmac } from "node:crypto";
import * as sdk from "@azure/data-tables";

export * from "@azure/data-tables";

const PLAYGROUND = "https://playground.table.core.windows.net";
const EMULATOR =
  "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;";

const given = process.env.AZURE_STORAGE_CONNECTION_STRING || EMULATOR;
const connection = /UseDevelopmentStorage=true/i.test(given) ? EMULATOR : given;

const isPlayground = (url) => String(url) === PLAYGROUND || String(url).startsWith(PLAYGROUND + "/");

/** A client class that connects to your account where a program names the playground's. */
const redirected = (Client) =>
  new Proxy(Client, {
    construct(target, [url, ...rest]) {
      if (!isPlayground(url)) {
        return new target(url, ...rest);
      }
      const names = target === sdk.TableClient ? rest.splice(0, 1) : [];
      return target.fromConnectionString(connection, ...names, { allowInsecureConnection: true, ...rest.at(-1) });
    },
  });

export const TableClient = redirected(sdk.TableClient);
export const TableServiceClient = redirected(sdk.TableServiceClient);

// Programs that send requests themselves: signed with Shared Key Lite.

const field = (name) => new RegExp(`(?:^|;)${name}=([^;]*)`, "i").exec(connection)?.[1] ?? "";
const account = field("AccountName");
const endpoint = (field("TableEndpoint") || `https://${account}.table.${field("EndpointSuffix") || "core.windows.net"}`).replace(/\/$/, "");

const send = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  if (!isPlayground(request.url)) {
    return send(request);
  }
  const url = new URL(endpoint + request.url.slice(PLAYGROUND.length));
  const headers = new Headers(request.headers);
  if (!headers.has("x-ms-version")) {
    headers.set("x-ms-version", "2019-02-02"); // the playground assumes it; the service assumes one without JSON
  }
  const key = field("AccountKey");
  if (key === "") {
    url.search += (url.search === "" ? "?" : "&") + field("SharedAccessSignature").replace(/^\?/, "");
  } else if (!headers.has("authorization")) {
    const comp = url.searchParams.get("comp");
    const date = new Date().toUTCString();
    const resource = `/${account}${url.pathname}${comp === null ? "" : "?comp=" + comp}`;
    const signature = createHmac("sha256", Buffer.from(key, "base64")).update(`${date}\n${resource}`).digest("base64");
    headers.set("x-ms-date", date);
    headers.set("authorization", `SharedKeyLite ${account}:${signature}`);
  }
  const body = request.body === null ? undefined : await request.arrayBuffer();
  return send(url, { method: request.method, headers, body, signal: request.signal });
};
