// The site's service worker. Sandtable answers what is for Azure Table Storage
// and leaves all other requests to the listeners below.
importScripts("sandtable-worker.js");

self.addEventListener("fetch", (event) => {
  if (new URL(event.request.url).pathname.endsWith("/greeting")) {
    event.respondWith(new Response("Hello from the site's own worker."));
  }
});
