// A page of the app whose requests the service worker answers.

import { sdkBundle } from "./sdk.mjs";

/** Opens an address and waits until the worker controls the page. */
export async function open(browser, url) {
  const page = await browser.newPage();
  page.problems = []; // what the page itself reports as broken
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.refused = []; // what its host or the worker did not have
  page.on("response", (response) => response.status() >= 400 && page.refused.push(`${response.status()} ${response.url()}`));
  await page.goto(url, { waitUntil: "domcontentloaded" });
  await controlled(page);
  return page;
}

/** Waits until the worker controls a page. */
export function controlled(page) {
  return page.evaluate(async () => {
    const { serviceWorker } = navigator;
    if (serviceWorker.controller === null) {
      await new Promise((resolve) => serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
    }
  });
}

/** Makes the SDK available in a page, as `sdk`. */
export async function addSDK(page) {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(`(() => {${await sdkBundle()}\nglobalThis.sdk = sdk; })()`);
}

/** What the Connect panel hands out for an account. */
export function connection(page, account = "devstoreaccount1") {
  return page.evaluate(async (name) => {
    const response = await fetch(`_sandtable/accounts/${name}/connection`);
    return response.json();
  }, account);
}

/** One request of a page, whole. */
export function request(page, url, options = {}) {
  return page.evaluate(
    async (url, options) => {
      const response = await fetch(url, url.startsWith("_sandtable/") ? { ...options, headers: { "x-sandtable": "1", ...options.headers } } : options);
      const headers = Object.fromEntries(response.headers);
      return { status: response.status, headers, text: await response.text() };
    },
    url,
    options,
  );
}

/** What a test does in a page by hand, on elements that it knows by their data-testid. */
export function byHand(page) {
  const hook = (name) => `[data-testid="${name}"]`;
  return {
    hook,
    async click(name) {
      await page().waitForSelector(hook(name), { visible: true });
      await page().click(hook(name));
    },
    async type(name, text) {
      await page().waitForSelector(hook(name), { visible: true });
      await page().type(hook(name), text);
    },
    shows: (name, text) =>
      page().waitForFunction((selector, text) => [...document.querySelectorAll(selector)].some((element) => element.textContent.includes(text)), {}, hook(name), text),
  };
}
