// Whose address is it? The one question that must be answered synchronously,
// from the URL alone: a fetch event is ours or it never was (see worker.js).

// The table endpoints of the public cloud, of the sovereign ones and of Cosmos
// DB; the server knows the same list (server/endpoint.go).
const CLOUD =
  /^([a-z0-9]{3,24})(?:-secondary)?\.table\.(?:core\.(?:windows\.net|chinacloudapi\.cn|usgovcloudapi\.net|cloudapi\.de)|cosmosdb\.azure\.com|cosmos\.azure\.com)$/;

// Where the storage emulators listen, with the account as first segment.
const EMULATORS = ["http://127.0.0.1:10002", "http://localhost:10002"];
const FIRST_SEGMENT = /^\/([a-z0-9]{3,24})(?:-secondary)?(?:\/|$)/;

/**
 * Tells what a URL addresses.
 *
 * @param {string} url the URL of a request
 * @param {string} scope the URL of the worker's scope, ending in a slash
 * @returns {null | {account: string | null, url: string}} null for an address
 *   that is not the service's. Otherwise the account, which may or may not
 *   live here, or null for what is always ours; and the URL as the engine
 *   sees it: without the folder that the app lies in.
 */
function addressed(url, scope) {
  if (url.startsWith(scope)) {
    const path = url.slice(scope.length);
    if (path.startsWith("table/") || path.startsWith("_sandtable/")) {
      return { account: null, url: new URL(scope).origin + "/" + path };
    }
  }
  const { protocol, host, origin, pathname } = new URL(url);
  const secure = protocol === "https:" || protocol === "http:";
  const found = EMULATORS.includes(origin) ? FIRST_SEGMENT.exec(pathname) : secure && CLOUD.exec(host);
  return found ? { account: found[1], url } : null;
}
