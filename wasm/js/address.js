// Which URLs are ours. The worker must decide synchronously, from the URL
// alone: a fetch event is claimed at once or never.

// The table endpoints of the public cloud, of the sovereign clouds and of
// Cosmos DB; the server has the same list (server/endpoint.go).
const CLOUD =
  /^([a-z0-9]{3,24})(?:-secondary)?\.table\.(?:core\.(?:windows\.net|chinacloudapi\.cn|usgovcloudapi\.net|cloudapi\.de)|cosmosdb\.azure\.com|cosmos\.azure\.com)$/;

// The storage emulators' addresses. The first path segment is the account.
const EMULATORS = ["http://127.0.0.1:10002", "http://localhost:10002"];
const FIRST_SEGMENT = /^\/([a-z0-9]{3,24})(?:-secondary)?(?:\/|$)/;

// A page that uses an account of another endpoint ends its URLs with this, because
// an account of this browser can have the same address (web/client/remote.go has
// the same mark). The browser sends no fragment.
const NETWORK = "#network";

/**
 * Returns the account that the host of a URL names, or null.
 *
 * @param {URL} url
 */
export function hostAccount({ protocol, host }) {
  return (protocol === "https:" && CLOUD.exec(host)?.[1]) || null;
}

/**
 * What a URL of the service addresses.
 *
 * @typedef {object} Target
 * @property {string | null} account the account, which may or may not live here; null for a path that is always ours
 * @property {string} path the path and query below the scope; "" if there is an account
 */

/**
 * Returns what a URL addresses, or null if it is not the service's.
 *
 * @param {string} url the URL of a request
 * @param {string} scope the URL of the worker's scope, which ends in a slash
 * @returns {Target | null}
 */
export function addressed(url, scope) {
  if (url.endsWith(NETWORK)) {
    return null;
  }
  if (url.startsWith(scope)) {
    const path = url.slice(scope.length);
    if (path.startsWith("table/") || path.startsWith("_sandtable/")) {
      return { account: null, path };
    }
  }
  const { protocol, host, origin, pathname } = new URL(url);
  const http = protocol === "https:" || protocol === "http:";
  const found = EMULATORS.includes(origin) ? FIRST_SEGMENT.exec(pathname) : http && CLOUD.exec(host);
  return found ? { account: found[1], path: "" } : null;
}
