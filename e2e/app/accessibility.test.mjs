// axe-core finds no serious or critical violation on any page, in either theme,
// and on a phone or a small tablet nothing scrolls sideways, and no list is squeezed by a panel.
// On a phone, what is pressed is 40 px high. Forced colors hide nothing.

import assert from "node:assert/strict";
import { test, timeout } from "../lib/test.mjs";
import { violations } from "../lib/axe.mjs";
import { codeEditor } from "../lib/editor.mjs";
import { byHand, request } from "../lib/page.mjs";
import { visit } from "../lib/visit.mjs";

const table = "account=devstoreaccount1&table=Guests";

const here = visit(async ({ page }) => {
  await page.setViewport({ width: 1440, height: 860 });
});
const { hook, press, shows } = byHand(() => here.page);
const editor = codeEditor(() => here.page);

/** Every page: its name, its address, what it shows when it is ready, and what is opened then. */
const pages = [
  ["tables", "?account=devstoreaccount1", "table-item"],
  ["entities", `?${table}`, "grid-row"],
  ["entities without a result", `?${table}&filter=PartitionKey+eq+%27a%27+and+Age+ge+%2721%27`, "try"],
  ["earlier entities under a wrong filter", `?${table}`, "grid-row", async () => {
    await here.page.type(hook("filter-input"), "9223372036854775808");
    await here.page.keyboard.press("Enter");
    await here.page.waitForSelector(".results.previous");
  }],
  ["selected rows", `?${table}`, "grid-row", async () => { await here.page.focus("#grid"); await here.page.keyboard.press("Home"); await here.page.keyboard.press(" "); await shows("selected", "1 selected"); }],
  ["bulk edit", `?${table}`, "grid-row", async () => {
    await here.page.focus("#grid");
    await here.page.keyboard.press("Home");
    await here.page.keyboard.press(" ");
    await shows("selected", "1 selected");
    await here.page.keyboard.press("e");
    await here.page.waitForSelector(`dialog[open] ${hook("edit-property")}:focus`);
    await here.page.keyboard.type("Age");
    await here.page.type(hook("edit-value"), "7");
    await shows("edit-counts", "1 entity");
  }],
  ["entity", `?${table}&entity=a%2F1`, "save-entity"],
  ["the command palette at its last entry", `?${table}`, "grid-row", async () => {
    await here.page.setViewport({ width: 1440, height: 400 });
    await openPalette();
    await here.page.keyboard.press("ArrowUp");
    await here.page.waitForFunction(() => {
      const last = document.querySelector(".palette .row:last-of-type");
      const [chosen, list] = [last, last.closest(".list")].map((element) => element.getBoundingClientRect());
      return last.ariaSelected === "true" && chosen.top >= list.top && chosen.bottom <= list.bottom;
    });
  }],
  ["the command palette without a match", `?${table}`, "grid-row", async () => {
    await openPalette();
    await here.page.keyboard.type("no such thing");
    await here.page.waitForFunction(() => document.querySelector(".palette [role=status]").textContent === "Nothing matches.");
  }],
  ["columns", `?${table}`, "grid-row", async () => {
    await here.page.click(hook("columns"));
    await here.page.waitForSelector(hook("reset-columns"));
  }],
  ["access of an account", "?account=devstoreaccount1&page=access", null],
  ["access of a table", `?${table}&page=access`, null],
  ["connect", "?account=devstoreaccount1&page=connect", null],
  ["import", `?${table}&page=import`, "choose-file"],
  ["export", `?${table}&page=export`, "preview"],
  ["settings", `?${table}&page=settings`, "table-settings"],
  ["partitions", `?${table}&page=partitions`, "partition-map", async () => {
    await here.page.click(hook("what-if"));
    await here.page.waitForSelector(hook("add-part"));
    await here.page.select(hook("add-part"), "RowKey");
    await here.page.waitForSelector(hook("comparison"));
  }],
  ["snapshots", "?account=devstoreaccount1&page=snapshots", "snapshot-name", async () => {
    await here.page.click(hook("take-snapshot"));
    await here.page.click(await here.page.waitForSelector(".snapshot-table .link") && ".snapshot-table .link");
    await here.page.waitForSelector(hook("differences"));
  }],
  ["promote without a connected account", "?account=devstoreaccount1&page=promote", "promote-connect"],
  ["no faults", "?account=devstoreaccount1&page=faults", "preset-busy"],
  ["faults", "?account=classroom&page=faults", "fault-rules", async () => {
    await here.page.click('[aria-label^="Edit rule 2"]');
    await here.page.waitForSelector(hook("fault-form"));
  }],
  ["a page of an account with faults", "?account=classroom", "banner"],
  ["requests", "?page=requests", null],
  ["lessons", "?page=lessons", "lessons-next"],
  ["a lesson", "?page=playground&lesson=scans", "checks", () => editor.ready()],
  ["playground with an error and the search", "?page=playground#code=const+%3D+2%3B%0Aconst+a+%3D+%22b%22%3B+%2F%2F+c", "run", async () => {
    await editor.ready();
    await here.page.click(hook("run"));
    await shows("run-summary", "Failed");
    await editor.goTo("const a");
    await press("Control", "f");
    await here.page.waitForSelector("code-editor .cm-search");
  }],
  ["requests over HTTP", "?page=playground#http=%23%23%23+Tables%0AGET+https%3A%2F%2Fplayground.table.core.windows.net%2FTables%0AAccept%3A+application%2Fjson%0A%0A%7B%22a%22%3A+true%7D", "send", () => editor.goTo("GET")],
  ["storage", "?page=storage", "usage"],
  ["after a deletion", `?${table}`, "grid-row", async () => {
    await here.page.focus("#grid");
    for (const key of ["End", " ", "Delete"]) await here.page.keyboard.press(key);
    await here.page.waitForSelector(hook("undo"));
  }],
];

async function openPalette() {
  await press("Control", "k");
  await here.page.waitForSelector(`${hook("palette-field")}:focus`);
}

/** Returns what reaches beyond narrow windows or is squeezed in them, a line each. */
async function sideways() {
  const found = [];
  for (const width of [320, 800, 1024]) {
    await here.page.setViewport({ width, height: 860 });
    const reaches = await here.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.documentElement.scrollWidth)))));
    if (reaches > width) found.push(`${width} px wide: the page reaches to ${reaches} px`);
    found.push(...await here.page.evaluate((width) => {
      const boxes = (selector) => [...document.querySelectorAll(selector)].map((element) => [selector, element.getBoundingClientRect()]);
      const beyond = width < 760 ? boxes(".grid, .usage, .empty .btn, .panel :is(header, footer) button").filter(([, box]) => box.right > width) : [];
      const squeezed = [
        ...boxes(".split > .results").filter(([, box]) => box.width < Math.min(width, 350)),
        ...boxes("td:is(.name, .effect)").filter(([, box]) => box.width < 130),
      ];
      return [...beyond, ...squeezed].map(([selector, box]) => `${width} px wide: ${selector} reaches from ${box.left} to ${box.right} px`);
    }, width));
    if (width < 760) found.push(...(await small()));
  }
  await here.page.setViewport({ width: 1440, height: 860 });
  return found;
}

/** Returns what can be pressed and is less than 40 px high, a line each. Links in a text are as high as its lines. */
function small() {
  return here.page.evaluate(() => [...document.querySelectorAll("button, a, input, select, textarea, summary")].flatMap((element) => {
    const around = getComputedStyle(element, "::before"); // takes the press around a small box
    const more = around.content !== "none" && around.position === "absolute" ? -2 * parseFloat(around.top) : 0;
    const target = element.closest("label") ?? element;
    const { width, height } = target.getBoundingClientRect();
    const text = element.tagName === "A" && getComputedStyle(element).display === "inline";
    const shown = element.checkVisibility({ visibilityProperty: true }) && width > 1 && !element.matches(".scrim, [tabindex='-1']");
    return shown && !text && height + more < 39.5 ? [`${Math.round(height + more)} px high: ${target.outerHTML.slice(0, 120)}`] : [];
  }));
}

async function scheme(value) {
  await here.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
  await here.page.waitForFunction((value) => document.documentElement.dataset.theme === value, {}, value);
}

async function check(name, address, ready, act) {
  await scheme("light");
  await here.page.goto(here.app.url + address, { waitUntil: "domcontentloaded" });
  await here.page.waitForSelector(ready === null ? ".page" : hook(ready));
  await act?.();
  const found = await violations(here.page);
  await scheme("dark");
  found.push(...(await violations(here.page, "color-contrast", "link-in-text-block")).map((v) => `dark ${v}`));
  assert.deepEqual([...found, ...(await sideways())], [], name);
}

test("welcome", () => check("welcome", "?account=devstoreaccount1", "load-sample"));

// The time limit is that of each page.
test("every page with data", { timeout: Infinity }, async (t) => {
  await here.page.evaluate(async () => {
    const post = (path, body) => fetch(`https://devstoreaccount1.table.core.windows.net/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    await post("Tables", { TableName: "Guests" });
    for (let i = 0; i < 5; i++) await post("Guests", { PartitionKey: "a", RowKey: String(i), ...(i % 2 ? { Age: i } : {}), Name: `Guest ${i}`, "Since@odata.type": "Edm.DateTime", Since: "2026-11-20T18:30:00Z", Active: true });
  });
  await here.page.evaluate(async () => {
    const send = (method, path, body) => fetch(`_sandtable/${path}`, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    await send("POST", "accounts", { name: "classroom" });
    await send("PUT", "accounts/classroom/faults", { rules: [{ operation: "any write", effect: "ServerBusy", every: 2 }, { effect: "latency", median: 1, p99: 5 }, { on: false, effect: "connectionCut" }] });
    for (let i = 0; i < 2; i++) await fetch("https://classroom.table.core.windows.net/Tables", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ TableName: "Lesson3" }) });
  });
  for (const [name, address, ready, act] of pages) await t.test(name, { timeout }, () => check(name, address, ready, act));
});

test("with forced colors, what is selected, focused or drawn is seen", async () => {
  const session = await here.page.createCDPSession();
  await session.send("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] });
  const pages = [
    [`?${table}`, "grid-row", { '.tab[aria-current="page"]': "border-bottom-color", ".strip i, .explain .bar": "background-color", ".editor": "outline-color" }, ".editor textarea"],
    [`?${table}&entity=a%2F1`, "save-entity", { '.panel .seg [aria-pressed="true"]': "background-color", ".panel .input:focus": "outline-color" }, '[aria-label="Value of Name"]'],
    ["?account=classroom&page=faults", "fault-rules", { ".switch i": "background-color" }],
    [`?${table}&page=access`, null, { "select.input": "appearance" }],
    ["?page=playground&lesson=scans", "checks", { ".dashes span": "background-color", ".lesson-read .read": "background-color", ".lesson-read .wanted": "border-top-color" }, null, async () => {
      await editor.ready();
      await here.page.click(hook("run"));
      await here.page.waitForSelector(".lesson-read .wanted .read");
    }],
    [`?${table}&page=partitions`, "partition-map", { ".partition .bar i": "background-color", ".legend .heat-4": "background-color" }, null, async () => {
      await request(here.page, "https://devstoreaccount1.table.core.windows.net/Guests(PartitionKey='a',RowKey='1')", { headers: { accept: "application/json" } }); // traffic of this minute
      await here.page.waitForSelector(".legend .heat-4");
    }],
  ];
  for (const [address, ready, seen, focused, act] of pages) {
    await here.page.goto(here.app.url + address, { waitUntil: "domcontentloaded" });
    await here.page.waitForSelector(ready === null ? ".page select" : hook(ready));
    await act?.();
    if (focused) await here.page.focus(focused);
    const hidden = await here.page.evaluate((seen) => {
      const style = (selector) => getComputedStyle(document.querySelector(selector));
      const canvas = style("body").backgroundColor;
      return Object.entries(seen).filter(([selector, property]) => [canvas, "none"].includes(style(selector).getPropertyValue(property)) || (property === "outline-color" && style(selector).outlineStyle === "none")).map(([selector]) => selector);
    }, seen);
    const others = await here.page.$$eval('.tab:not([aria-current="page"])', (all) => all.filter((tab) => getComputedStyle(tab).borderBottomColor !== getComputedStyle(document.body).backgroundColor).length);
    assert.deepEqual([hidden, others], [[], 0], address);
  }
});
