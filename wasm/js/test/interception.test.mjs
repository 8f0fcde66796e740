import assert from "node:assert/strict";
import { test } from "node:test";
import { Health } from "../client/health.js";
import { checkIntercepted, Interception } from "../client/interception.js";
import { setGlobals } from "./globals.mjs";

/** A page whose requests its service worker may answer, and its notifications. */
function page() {
  const active = { scriptURL: "https://example.org/sandtable-worker.js" };
  const here = { answers: true, network: null, visible: true, asked: [], notified: [], why: "" };
  const window = new EventTarget();
  const document = Object.defineProperty(new EventTarget(), "visibilityState", { get: () => (here.visible ? "visible" : "hidden") });
  const serviceWorker = Object.assign(new EventTarget(), { controller: active });
  const fetch = async (url) => {
    here.asked.push(url);
    const { answers } = here;
    await here.network;
    return answers ? Response.json({ sandtable: 1, engine: "running", store: "one" }) : new Response("<!doctype html>", { status: 404 });
  };
  setGlobals({ window, document, navigator: { serviceWorker }, fetch });
  const health = new Health();
  health.notify = (name, { code, message }) => {
    here.notified.push(`${name} ${code}`);
    here.why = message;
  };
  const interception = new Interception({ scope: "https://example.org/", active }, health);
  const happens = (target, event) => {
    target.dispatchEvent(new Event(event));
    return new Promise((resolve) => setImmediate(resolve));
  };
  return { here, window, document, serviceWorker, active, interception, happens };
}

test("a page starts if its requests are answered, otherwise it gets the reason", async () => {
  const { here } = page();
  await checkIntercepted("https://example.org/");
  assert.deepEqual(here.asked, ["https://example.org/_sandtable/worker"]);
  here.answers = false;
  await assert.rejects(checkIntercepted("https://example.org/"), ({ code, message }) => code === "NotIntercepted" && /Bypass for network/.test(message));
});

test("interception is checked when the user returns, and reported once", async () => {
  const { here, window, document, interception, happens } = page();
  interception.watch(true);
  interception.watch(true);
  await happens(window, "focus");
  assert.deepEqual([here.asked.length, here.notified], [1, []]);
  here.answers = false;
  await happens(document, "visibilitychange");
  await happens(window, "pageshow");
  assert.deepEqual([here.asked.length, here.notified], [3, ["error NotIntercepted"]]);
  assert.match(here.why, /Bypass for network/);
  here.visible = false;
  await happens(document, "visibilitychange");
  assert.equal(here.asked.length, 3); // leaving is not returning
  here.visible = here.answers = true;
  await happens(document, "visibilitychange");
  assert.deepEqual(here.notified, ["error NotIntercepted", "recovered NotIntercepted"]);
  interception.watch(false);
  for (const target of [window, document]) await happens(target, "focus");
  assert.equal(here.asked.length, 4);
});

test("two events of one return cause one check", async () => {
  const { here, window, document, interception, happens } = page();
  interception.watch(true);
  await Promise.all([happens(window, "focus"), happens(document, "visibilitychange")]);
  assert.equal(here.asked.length, 1);
});

for (const [name, controller, why] of [
  ["was removed", null, /was removed.*[Rr]eload/],
  ["was replaced by another", { scriptURL: "https://example.org/other.js" }, /Another worker.*other\.js/],
]) {
  test(`a worker that ${name} is noticed and reported at once`, async () => {
    const { here, serviceWorker, interception, happens } = page();
    interception.watch(true);
    Object.assign(here, { answers: false });
    serviceWorker.controller = controller;
    await happens(serviceWorker, "controllerchange");
    assert.deepEqual(here.notified, ["error NotIntercepted"]);
    assert.match(here.why, why);
  });
}

test("a check that another worker's activation overtakes is repeated", async () => {
  const { here, window, serviceWorker, interception, happens } = page();
  interception.watch(true);
  let arrive;
  Object.assign(here, { answers: false, network: new Promise((resolve) => (arrive = resolve)) });
  await happens(window, "focus");
  here.answers = true;
  await happens(serviceWorker, "controllerchange");
  arrive();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([here.asked.length, here.notified], [2, []]);
});

test("adding a listener triggers a check", async () => {
  const { here, window, interception, happens } = page();
  interception.watch(true);
  here.answers = false;
  await happens(window, "focus");
  interception.watch(false);
  here.answers = true;
  interception.watch(true);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(here.notified, ["error NotIntercepted", "recovered NotIntercepted"]);
});

test("a removed listener is not notified", async () => {
  const { here, window, interception, happens } = page();
  interception.watch(true);
  here.answers = false;
  const looked = happens(window, "focus");
  interception.watch(false);
  await looked;
  assert.deepEqual(here.notified, []);
});
