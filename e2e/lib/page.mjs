// Opening pages of the app and sending requests from them.

import { writeFile } from "node:fs/promises";
import { patience } from "./browser.mjs";
import { sdkBundle } from "./sdk.mjs";

// Firefox reports each stream of events that ends before its worker ends it, without
// a URL: a page closes it, or is reloaded. The page notices nothing.
const closedStream = /Failed to load ‘’\. A ServiceWorker intercepted the request/;

/**
 * Opens a URL and waits until the worker controls the page. The page gets two
 * lists: problems, and refused, which is undefined where the browser's driver
 * reports no responses.
 */
export async function open(browser, url) {
  const page = await browser.newPage();
  page.problems = []; // errors that the page reported
  page.on("pageerror", (error) => closedStream.test(String(error)) || page.problems.push(String(error)));
  if (page.reportsResponses ?? true) {
    page.refused = []; // failed requests for files
    page.on("response", (response) => response.status() >= 400 && page.refused.push(`${response.status()} ${response.url()}`));
  }
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

/** Loads the SDK into a page as `sdk`. */
export async function addSDK(page) {
  // Evaluated, because the page's content security policy would refuse a script element.
  await page.evaluate(`(() => {${await sdkBundle()}\nglobalThis.sdk = sdk; })()`);
}

/** Returns the connection string that the Connect panel shows for an account. */
export function connection(page, account = "devstoreaccount1") {
  return page.evaluate(async (name) => {
    const response = await fetch(`_sandtable/accounts/${name}/connection`);
    return response.json();
  }, account);
}

/** Options of request that send JSON. */
export const json = (body, method = "POST") => ({ method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** Sends one request from a page; returns status, headers and text. */
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

/**
 * Clicks an element once it is visible and stands still; finds it again if the page has replaced
 * it. Puppeteer's locators wait forever if the page goes to another document meanwhile.
 */
export async function clickStill(page, selector) {
  const end = Date.now() + patience;
  for (;;) {
    const element = await page.waitForSelector(selector, { visible: true });
    try {
      await element.evaluate(standsStill);
      return await element.click();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** Waits in the page until an element has the same place in two frames. */
async function standsStill(element) {
  const place = () => new Promise((resolve) => requestAnimationFrame(() => resolve(JSON.stringify(element.getBoundingClientRect()))));
  let last;
  for (let now = await place(); now !== last; now = await place()) last = now;
}

/** Clicks and types in a page, on elements found by their data-testid. */
export function byHand(page) {
  const hook = (name) => `[data-testid="${name}"]`;
  /** Clicks an element once it can be clicked and, where the driver can tell, stands still. */
  const click = async (name) => {
    const selector = `${hook(name)}:not([disabled])`;
    if (page().browser?.().protocol === "cdp") return clickStill(page(), selector);
    await page().waitForSelector(selector, { visible: true });
    await page().click(selector).catch((error) => {
      if (!/detached/.test(error)) throw error;
      return page().click(selector); // the page replaced it after it was found
    });
  };
  return {
    hook,
    click,
    /** Writes a file, clicks a button, and picks the file in the chooser that it opens. */
    async chooseFile(name, path, content) {
      await writeFile(path, content);
      const [chooser] = await Promise.all([page().waitForFileChooser(), click(name)]);
      await chooser.accept([path]);
    },
    /** Types into a field instead of what is in it. */
    async replace(name, text) {
      const field = await page().waitForSelector(hook(name), { visible: true });
      await field.click({ count: 3 });
      await field.type(text);
    },
    async type(name, text) {
      await page().waitForSelector(hook(name), { visible: true });
      await page().type(hook(name), text);
    },
    /** Presses keys together, such as Control and k. */
    async press(...keys) {
      for (const key of keys) await page().keyboard.down(key);
      for (const key of keys.reverse()) await page().keyboard.up(key);
    },
    /** Waits until an element contains all of these texts. */
    shows: (name, ...texts) =>
      page().waitForFunction((selector, texts) => [...document.querySelectorAll(selector)].some(({ textContent }) => texts.every((text) => textContent.includes(text))), {}, hook(name), texts),
    gone: (name) => page().waitForFunction((selector) => document.querySelector(selector) === null, {}, hook(name)),
  };
}
