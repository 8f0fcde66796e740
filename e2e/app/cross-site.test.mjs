// No other site can change a visitor's data: the worker answers fetches of its
// own pages and refuses the navigations that another site can cause.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, test } from "../lib/test.mjs";
import { dropProfile, launch, newProfile } from "../lib/browser.mjs";
import { inBrowsers } from "../lib/browsers.mjs";
import { pageOf, serveSite, visitSite } from "../lib/embed-site.mjs";
import { open, request } from "../lib/page.mjs";
import { serveStatically } from "../lib/static-host.mjs";

const json = { "content-type": "application/json", accept: "application/json;odata=nometadata" };

/**
 * A page of someone else. 127.0.0.1 and localhost are different sites; another
 * port of localhost is the same site, but not the same origin.
 */
async function otherSite(host = "127.0.0.1") {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>elsewhere</title>"));
  await once(server.listen(0, host), "listening");
  return { url: `http://${host}:${server.address().port}/`, stop: () => server.close().closeAllConnections() };
}

/** The two kinds of site with our worker: the app and an embedding page. */
const sites = [
  // The host sets no content security policy: that of "sandtable web" would stop the frame's script.
  ["the app", () => serveStatically("/"), open],
  ["a page that embeds it", () => serveSite("/", { "index.html": pageOf() }), visitSite],
];

inBrowsers((engine) => {
  for (const [name, serve, visit] of sites) describe(name, () => suite(engine, serve, visit));
});

function suite(engine, serve, visit) {
  const here = {};
  before(async () => {
    here.profile = await newProfile();
    here.browser = await engine.launch(here.profile);
    here.site = await serve();
    here.elsewhere = await otherSite();
    here.page = await visit(here.browser, here.site.url);
    const created = await send("table/devstoreaccount1/Tables", { method: "POST", headers: json, body: '{"TableName":"Mine"}' });
    assert.equal(created.status, 201, created.text);
    here.tab = await here.browser.newPage();
  });
  after(async () => {
    await here.browser?.close();
    await here.site?.stop();
    here.elsewhere?.stop();
    await dropProfile(here.profile);
  });

  /** Sends a same-site request, and retries it while the engine is busy. */
  async function send(path, options) {
    for (;;) {
      const answer = await request(here.page, path, options);
      if (answer.status !== 503) return answer;
    }
  }

  const tables = async () => {
    const { text } = await send("table/devstoreaccount1/Tables", { headers: json });
    return JSON.parse(text).value.map(({ TableName }) => TableName);
  };

  /** Runs a function that navigates a tab; resolves to the text that the tab then shows. */
  async function sent(from, work, ...args) {
    await here.tab.goto(from);
    await here.tab.evaluate(work, ...args);
    const shown = (site, from) => (location.href.startsWith(site) && location.href !== from && document.readyState === "complete" ? document.documentElement.textContent : null);
    for (;;) {
      const text = await here.tab.evaluate(shown, here.site.url, from).catch(() => null); // fails during the navigation
      if (text != null) return text; // WebKit turns null into undefined
    }
  }

  const post = (action, body) => {
    const form = Object.assign(document.createElement("form"), { action, method: "post", enctype: "text/plain" });
    if (body !== "") {
      const cut = body.indexOf("="); // a text/plain form sends name=value
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name: body.slice(0, cut), value: body.slice(cut + 1) }));
    }
    document.body.append(form);
    form.submit();
  };

  const archive = '{"@sandtable":"archive","format":1,"x":"="}';
  const forms = [
    ["a reset without a body", "_sandtable/reset", ""],
    ["a reset", "_sandtable/reset", '{"what":"all","x":"="}'],
    ["a load", "_sandtable/load", archive],
    ["a new table", "table/devstoreaccount1/Tables", '{"TableName":"Theirs","x":"="}'],
    ["a batch", "table/devstoreaccount1/$batch", "--b=--"],
  ];
  for (const [what, path, body] of forms) {
    test(`a form on another site that posts ${what} is refused`, async () => {
      assert.match(await sent(here.elsewhere.url, post, here.site.url + path, body), /own scripts/);
      assert.deepEqual(await tables(), ["Mine"]);
    });
  }

  test("a form on the same site is refused too: only scripts may change data", async () => {
    assert.match(await sent(here.site.url, post, here.site.url + "_sandtable/reset", ""), /own scripts/);
    assert.deepEqual(await tables(), ["Mine"]);
  });

  test("a link on another site shows no data", async () => {
    const shown = await sent(here.elsewhere.url, (url) => void (location.href = url), here.site.url + "table/devstoreaccount1/Tables");
    assert.match(shown, /own scripts/);
  });

  test("a frame on another site changes no data", async () => {
    await here.tab.goto(here.elsewhere.url);
    await here.tab.evaluate(
      async (site) => {
        const frame = Object.assign(document.createElement("iframe"), { name: "target" });
        document.body.append(frame);
        const loaded = () => new Promise((resolve) => (frame.onload = resolve));
        const form = Object.assign(document.createElement("form"), { action: site + "_sandtable/reset", method: "post", target: "target" });
        document.body.append(form);
        const first = loaded();
        form.submit();
        await first;
        const second = loaded();
        frame.src = site + "table/devstoreaccount1/Tables";
        await second;
      },
      here.site.url,
    );
    assert.deepEqual(await tables(), ["Mine"]);
  });

  test("a sandboxed frame with an opaque origin reaches nothing", async () => {
    const answers = await here.page.evaluate(async () => {
      const frame = document.createElement("iframe");
      frame.sandbox = "allow-scripts";
      frame.srcdoc = `<script>
        const base = ${JSON.stringify(document.baseURI)};
        const ask = (path, options) => fetch(base + path, options).then(({ status, type }) => type + " " + status, () => "failed");
        (async () => parent.postMessage([
          await ask("_sandtable/status"),
          await ask("_sandtable/reset", { method: "POST", mode: "no-cors", body: '{"what":"all"}' }),
        ], "*"))();
      </scr` + `ipt>`;
      const said = new Promise((resolve) => addEventListener("message", ({ source, data }) => source === frame.contentWindow && resolve(data)));
      document.body.append(frame);
      return said.finally(() => frame.remove());
    });
    assert.equal(answers[0], "failed");
    assert.deepEqual(await tables(), ["Mine"]);
  });

  test("typing a URL into the address bar works for reads", async () => {
    await here.tab.goto(here.site.url + "_sandtable/status");
    assert.match(await here.tab.evaluate(() => document.documentElement.textContent), /indexeddb/);
  });
}

// Puppeteer reports what a frame shows in Chromium alone.
test("a page of another origin on the same site cannot frame the app", async () => {
  const profile = await newProfile();
  const browser = await launch(profile);
  const site = await serveStatically("/");
  const neighbor = await otherSite("localhost");
  try {
    await open(browser, site.url);
    const tab = await browser.newPage();
    await tab.goto(neighbor.url);
    const framed = async (url) => {
      await tab.evaluate((src) => {
        const frame = Object.assign(document.createElement("iframe"), { src });
        const loaded = new Promise((resolve) => (frame.onload = resolve));
        document.body.replaceChildren(frame);
        return loaded;
      }, url);
      const [frame] = tab.mainFrame().childFrames();
      return frame.url();
    };
    assert.equal(await framed(neighbor.url), neighbor.url);
    assert.match(await framed(site.url), /^chrome-error:/);
  } finally {
    await browser.close();
    site.stop();
    neighbor.stop();
    await dropProfile(profile);
  }
});
