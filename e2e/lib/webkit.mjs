// WebKitGTK over WebDriver, on a virtual screen. Browser and pages offer
// puppeteer's method names, as far as the tests for all engines use them.

import { once } from "node:events";
import { readFile, readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { patience } from "./browser.mjs";
import { end, installed, start } from "./processes.mjs";

const windows = fileURLToPath(new URL("webkit-window.js", import.meta.url));

/** The polling interval in milliseconds. */
const LOOK = 50;

/** Starts WebKit on a profile. */
export async function launch(profile) {
  const gjs = installed("/usr/bin/gjs", "apt-get install gjs gir1.2-webkit2-4.1");
  const screen = start("/usr/bin/Xvfb", "apt-get install xvfb", ["-displayfd", "3", "-screen", "0", "1400x900x24", "-nolisten", "tcp", "-terminate"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const port = await freePort();
  const driver = start("/usr/bin/WebKitWebDriver", "apt-get install webkit2gtk-driver", [`--port=${port}`, "--host=127.0.0.1"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DISPLAY: `:${await displayOf(screen)}`, GDK_BACKEND: "x11", NO_AT_BRIDGE: "1" },
  });
  driver.once("exit", () => end(screen));
  const wire = new Wire(`http://127.0.0.1:${port}`);
  try {
    await wire.ready();
    await wire.begin({ binary: gjs, args: ["-m", windows, profile] });
  } catch (reason) {
    end(driver);
    throw reason;
  }
  return new Browser(driver, wire);
}

/** Starts a virtual screen; returns its number once Xvfb reports it. */
async function displayOf(screen) {
  for await (const line of createInterface({ input: screen.stdio[3] })) {
    return line;
  }
  throw new Error("Xvfb does not start");
}

/**
 * Stops WebKit's service workers. WebKit does so ten seconds after the last page
 * of their site has closed, so all pages navigate away and back.
 */
export function stopWorkers(page) {
  return page.browser().stopWorkers();
}

class Browser {
  #driver;
  #wire;
  #fresh = true; // no page uses the session's first window yet

  constructor(driver, wire) {
    this.#driver = driver;
    this.#wire = wire;
  }

  /** The leader of the browser's process group. */
  process() {
    return this.#driver;
  }

  async newPage() {
    const handle = this.#fresh ? await this.#wire.session("GET", "window") : (await this.#wire.session("POST", "window/new", { type: "window" })).handle;
    this.#fresh = false;
    return new Page(this, this.#wire, handle);
  }

  /** Closes all windows and waits until every process has exited. */
  async close() {
    if (this.#driver.exitCode !== null || this.#driver.signalCode !== null) {
      return;
    }
    const gone = once(this.#driver, "exit");
    await this.#wire.session("DELETE", "");
    await until("WebKit has closed", async () => (await this.#members()).length === 1);
    this.#driver.kill("SIGTERM");
    await gone;
  }

  async stopWorkers() {
    const pages = (await this.#wire.session("GET", "window/handles")).map((handle) => new Page(this, this.#wire, handle));
    const urls = [];
    for (const page of pages) {
      urls.push(await page.url());
      await page.goto("about:blank");
    }
    await until("WebKit has stopped its workers", async () => !(await this.#hasWorker()));
    for (const [i, page] of pages.entries()) {
      await page.goto(urls[i]);
    }
  }

  /** Reports whether a service worker runs, judged by the names of the processes' threads. */
  async #hasWorker() {
    for (const pid of await this.#members()) {
      const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
      const names = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/comm`, "utf8").catch(() => "")));
      if (names.some((name) => name.includes("ServiceWorker"))) {
        return true;
      }
    }
    return false;
  }

  /** The running processes of the group. */
  async #members() {
    const found = [];
    for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      const [state, , leader] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(leader) === this.#driver.pid && state !== "Z") {
        found.push(Number(pid));
      }
    }
    return found;
  }
}

class Page {
  #browser;
  #wire;
  #handle;
  #listeners = [];

  constructor(browser, wire, handle) {
    this.#browser = browser;
    this.#wire = wire;
    this.#handle = handle;
  }

  browser() {
    return this.#browser;
  }

  #command(method, path, body) {
    return this.#wire.inWindow(this.#handle, method, path, body);
  }

  url() {
    return this.#command("GET", "url");
  }

  title() {
    return this.#command("GET", "title");
  }

  goto(url) {
    return this.#command("POST", "url", { url });
  }

  reload() {
    return this.#command("POST", "refresh", {});
  }

  close() {
    return this.#command("DELETE", "window");
  }

  reportsResponses = false;

  /** The page's errors are reported after the next evaluation. */
  on(event, listener) {
    if (event !== "pageerror") {
      throw new Error(`WebKit: event ${event} is not supported`);
    }
    this.#listeners.push(listener);
  }

  /** Evaluates an expression, or a function with JSON arguments, in the page. */
  async evaluate(work, ...args) {
    const source = typeof work === "function" ? `(${work})(...given)` : `(${work})`;
    const { value, failure, problems } = await this.#command("POST", "execute/async", {
      script: `
        const given = [...arguments];
        const done = given.pop();
        const problems = () => globalThis.sandtableTrouble?.splice(0) ?? [];
        (async () => ${source})().then(
          (value) => done({ value, problems: problems() }),
          (reason) => done({ failure: String(reason) + "\\n" + reason?.stack, problems: problems() }),
        );`,
      args,
    });
    for (const error of problems) {
      this.#listeners.forEach((listener) => listener(error));
    }
    if (failure !== undefined) {
      throw new Error(failure);
    }
    return value ?? undefined;
  }

  addScriptTag({ content }) {
    return this.evaluate((content) => {
      const script = document.createElement("script");
      script.text = content;
      document.head.append(script);
    }, content);
  }

  /** Waits until a function returns a truthy value. */
  waitForFunction(work, { timeout = patience } = {}, ...args) {
    return this.evaluate(
      `(async () => {
        const args = ${JSON.stringify(args)};
        for (const end = Date.now() + ${timeout}; !(await (${work})(...args)); ) {
          if (Date.now() > end) throw new Error("timed out");
          await new Promise(requestAnimationFrame);
        }
      })()`,
    );
  }

  waitForSelector(selector) {
    return this.waitForFunction((selector) => document.querySelector(selector)?.checkVisibility({ visibilityProperty: true }), {}, selector);
  }

  async #element(selector) {
    const found = await this.#command("POST", "element", { using: "css selector", value: selector });
    return `element/${Object.values(found)[0]}`;
  }

  async click(selector) {
    await this.#command("POST", `${await this.#element(selector)}/click`, {});
  }

  async type(selector, text) {
    await this.#command("POST", `${await this.#element(selector)}/value`, { text });
  }
}

/** Sends WebDriver requests one at a time, because the session has one current window. */
class Wire {
  #origin;
  #path = "";
  #last = Promise.resolve();

  constructor(origin) {
    this.#origin = origin;
  }

  async #send(method, path, body) {
    const response = await fetch(this.#origin + path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) {
      throw new Error(`WebDriver ${method} ${path}: ${value.error}: ${value.message}`);
    }
    return value;
  }

  /** Waits until the driver listens. */
  ready() {
    return until("WebKitWebDriver listens", () => this.#send("GET", "/status").then(() => true, () => false));
  }

  /** Starts the browser through the driver. */
  async begin(options) {
    const timeouts = { script: patience, pageLoad: patience };
    const { sessionId } = await this.#send("POST", "/session", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options, timeouts } } });
    this.#path = `/session/${sessionId}`;
  }

  /** Sends a session command. */
  session(method, path, body) {
    return this.#send(method, path === "" ? this.#path : `${this.#path}/${path}`, body);
  }

  /** Sends a command to a window, after all earlier commands. */
  inWindow(handle, method, path, body) {
    const answer = this.#last.then(async () => {
      await this.session("POST", "window", { handle });
      return this.session(method, path, body);
    });
    this.#last = answer.catch(() => {});
    return answer;
  }
}

/** Polls for a condition that no event reports. */
async function until(what, holds) {
  for (const end = Date.now() + patience; !(await holds()); ) {
    if (Date.now() > end) {
      throw new Error(`timed out waiting until ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

/** Returns a free port. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
