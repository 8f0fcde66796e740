// Where this module is, and the files that belong next to it.

/** Returns the URL of the module, or of the page if a bundler made a classic script, which has none. */
export const moduleURL = () => import.meta.url ?? document.baseURI;
