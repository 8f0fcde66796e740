// What connects the explorer to the page that embeds Sandtable: its address, and its events.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ExplorerEvents } from "../client/explorer-events.js";
import { explorerUrl, openExplorer } from "../client/explorer-url.js";
import { setGlobals } from "./globals.mjs";

const place = (explorer, scope) => ({ base: scope + "_sandtable/", explorer });

test("the address names the store unless that is the folder above", () => {
  setGlobals({ location: { origin: "https://a.example" } });
  const cases = [
    ["https://a.example/explorer/", "https://a.example/", undefined, "https://a.example/explorer/"],
    ["https://a.example/lib/explorer/", "https://a.example/demo/", undefined, "https://a.example/lib/explorer/?store=%2Fdemo%2F"],
    ["https://a.example/lib/explorer/", "https://a.example/demo/", { table: "T12" }, "https://a.example/lib/explorer/?account=devstoreaccount1&table=T12&store=%2Fdemo%2F"],
    ["https://a.example/app/", "https://a.example/app/", { account: "shop" }, "https://a.example/app/?account=shop"], // below the web app
  ];
  for (const [explorer, scope, options, want] of cases) {
    assert.equal(explorerUrl(place(explorer, scope), options), want);
  }
});

test("there is no explorer on another origin, nor for a worker that names none", () => {
  setGlobals({ location: { origin: "https://a.example" } });
  for (const explorer of ["https://cdn.example/explorer/", undefined]) {
    assert.throws(() => explorerUrl(place(explorer, "https://a.example/")), { code: "NoExplorer" });
  }
  assert.throws(() => openExplorer(place(undefined, "http://sandtable.invalid/")), { code: "NoExplorer" }); // in Node.js, without a window
});

test("a refused window is an error, and one store has one window", () => {
  const opened = [];
  setGlobals({ location: { origin: "https://a.example" }, window: { open: (...call) => (opened.push(call), null) } });
  assert.throws(() => openExplorer(place("https://a.example/explorer/", "https://a.example/")), { code: "PopupBlocked" });
  assert.deepEqual(opened, [["https://a.example/explorer/", "sandtable explorer https://a.example/"]]);
});

/** Waits for the sources that were opened before. */
const begun = () => new Promise((resolve) => setTimeout(resolve));

/** Opens a source and collects what it gets. */
function listen(events, after) {
  const source = new events.source("https://a.example/_sandtable/events" + (after === undefined ? "" : "?after=" + after));
  const got = [];
  for (const kind of ["start", "change", "request", "lost"]) {
    source.addEventListener(kind, ({ type, data, lastEventId }) => got.push([type, data, lastEventId]));
  }
  return { source, got };
}

test("events reach every open source, with what to continue after", async () => {
  const events = new ExplorerEvents();
  events.notify("lost"); // nobody has read anything yet
  const one = listen(events);
  const other = listen(events);
  await begun();
  events.notify("change", { kind: "inserted" });
  other.source.close();
  events.notify("request", { id: 7 });
  assert.deepEqual(one.got, [["start", "{}", "1"], ["change", '{"kind":"inserted"}', "2"], ["request", '{"id":7}', "3"]]);
  assert.equal(other.got.length, 2);
  assert.deepEqual([one.source.readyState, other.source.readyState], [1, 2]);
});

test("a source that continues learns whether it has missed something", async () => {
  const events = new ExplorerEvents();
  events.notify("change", {});
  const missed = listen(events, "0");
  const none = listen(events, "1");
  const closed = listen(events, "0");
  closed.source.close();
  await begun();
  assert.deepEqual([missed.got[0][0], none.got[0][0], closed.got.length], ["lost", "start", 0]);
});

test("the worker's state is no event; a later listener gets the last one", () => {
  const events = new ExplorerEvents();
  events.notify("state", { full: true });
  const states = [];
  events.watchState((state) => states.push(state));
  events.notify("state", { full: false });
  events.watchState(null);
  events.notify("state", {});
  assert.deepEqual(states, [{ full: true }, { full: false }]);
});
