// On a later visit the worker has the page's program: it is compiled while the
// rest of the page loads. The first visit shows how much has been downloaded.
if (navigator.serviceWorker?.controller && WebAssembly.compileStreaming) {
  window.sandtableProgram = WebAssembly.compileStreaming(fetch(document.currentScript.dataset.program));
  window.sandtableProgram.catch(() => {}); // it is fetched again, and says why
}
