// Navigations to our URLs. A service worker only sees fetches of its own pages, but it
// sees every navigation into its scope, and any other site can cause one by a link, a
// frame or a form that posts.

/**
 * Returns why a request is refused, or null if it may be answered. Only the
 * site's own scripts may change anything, so a navigation may only read; one
 * that visibly comes from another site may not even read.
 *
 * @param {Pick<Request, "mode" | "method" | "referrer" | "headers">} request for a URL that is ours
 * @param {string} scope the URL of the worker's scope
 * @returns {string | null}
 */
export function refusedNavigation({ mode, method, referrer, headers }, scope) {
  if (mode !== "navigate") {
    return null;
  }
  if (method !== "GET" && method !== "HEAD") {
    return "Only this site's own scripts may change anything here: send this request by fetch, not by a form.";
  }
  const site = headers.get("Sec-Fetch-Site"); // not every browser sends it to a worker
  const foreign = site === "cross-site" || site === "same-site" || (referrer !== "" && new URL(referrer).origin !== new URL(scope).origin);
  return foreign ? "Only this site's own scripts may read anything here. Open this address yourself, not by a link on another site." : null;
}
