// What a person or another program may do next, chosen by a seeded random number.

const words = [
  "Customers", "a", "PartitionKey eq 'a'", "Age gt 5", "'", "𝒳ß", "-1", "1e400", "2020-01-01", "<b>x</b>", "$%^",
  "9223372036854775808", "devstoreaccount1", "true", " ", "a/b?c#d", "x".repeat(60),
];
const keys = [
  "Enter", "Escape", "Tab", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Delete", " ", "Home", "End", "PageDown", "F2", "/", "?",
];
const sizes = [[1280, 800], [390, 844], [800, 600], [320, 640]];

/** Returns a function of n for whole numbers below n, the same sequence for the same seed (xorshift). */
export function randomly(seed) {
  let state = Math.imul(seed, 2654435761) >>> 0 || 1;
  return (n) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % n;
  };
}

/**
 * Marks the control that comes next and describes it, if there is one. Kinds of controls
 * are equally likely, so that a long list does not hide the rest of the page.
 */
function mark(random) {
  document.querySelector("[data-random]")?.removeAttribute("data-random");
  const kinds = new Map();
  const isReachable = (e) => {
    if (e.disabled || e.type === "file" || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    const { x, y, width, height } = e.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return width > 0 && height > 0 && top !== null && (e.contains(top) || top.contains(e));
  };
  const controls = "button,a[href]:not([target]),input,select,textarea,summary,[role=option],[role=gridcell],[role=row],[tabindex='0'],td";
  for (const e of [...document.querySelectorAll(controls)].filter(isReachable)) {
    const kind = `${e.tagName.toLowerCase()} ${e.dataset.testid ?? ""}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), e]);
  }
  if (kinds.size === 0) return null;
  const [kind, all] = [...kinds][random[0] % kinds.size];
  const chosen = all[random[1] % all.length];
  chosen.setAttribute("data-random", "");
  const typed = chosen.matches("textarea,input:not([type=checkbox],[type=radio],[type=button])");
  return { what: `${kind} ${(chosen.getAttribute("aria-label") ?? chosen.textContent).trim().slice(0, 30)}`, typed, select: chosen.tagName === "SELECT" };
}

const large = 1 << 30;

/** Uses one control of the page. */
async function useControl(page, random, trail) {
  const control = await page.evaluate(mark, [random(large), random(large)]);
  if (!control) return;
  trail.push(control.what);
  if (control.select) {
    await page.evaluate((n) => {
      const field = document.querySelector("[data-random]");
      field.selectedIndex = n % field.options.length;
      for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
    }, random(large));
    return;
  }
  await page.click("[data-random]");
  if (!control.typed) return;
  const text = words[random(words.length)];
  trail.push(`types ${text}`);
  await page.type("[data-random]", text);
  if (page.keyboard && random(2) === 0) {
    trail.push("Enter");
    await page.keyboard.press("Enter");
  }
}

/** Goes back, and waits until that is done; for a second where there is nothing to go back to. */
function goBack() {
  return new Promise((done) => {
    for (const type of ["popstate", "pagehide"]) addEventListener(type, () => done(), { once: true });
    setTimeout(done, 1000);
    history.back();
  });
}

async function pressTogether(page, ...names) {
  for (const name of names) await page.keyboard.down(name);
  for (const name of names.reverse()) await page.keyboard.up(name);
}

/** Does one thing with the page, and adds what it was to the trail. */
export async function act(page, engine, random, trail) {
  const key = keys[random(keys.length)];
  const [width, height] = sizes[random(sizes.length)];
  const rare = [
    [8, `presses ${key}`, page.keyboard && (() => page.keyboard.press(key))],
    [2, "opens the palette", page.keyboard && (() => pressTogether(page, "Control", "k"))],
    [2, `is ${width} px wide`, page.setViewport && (() => page.setViewport({ width, height }))],
    [2, "goes back", () => page.evaluate(goBack)],
    [1, "reloads", () => page.reload({ waitUntil: "domcontentloaded" })],
    [1, "the worker stops", () => engine.stopWorkers(page)],
  ];
  let percent = random(100);
  for (const [share, what, work] of rare) {
    percent -= share;
    if (percent < 0 && work) {
      trail.push(what);
      return work();
    }
  }
  return useControl(page, random, trail);
}

/**
 * Sends three requests that change tables which the page may show. Returns the statuses of
 * failures that no fault rule explains, 0 for no answer.
 */
export function write(page, random) {
  return page.evaluate(async (numbers) => {
    const base = "https://devstoreaccount1.table.core.windows.net/";
    const headers = { "content-type": "application/json", accept: "application/json" };
    const statuses = [];
    for (const [table, partition, row, property, value, operation] of numbers) {
      const name = ["Orders", "Customers", "Fresh0", "Fresh1"][table % 4];
      const at = `${base}${name}(PartitionKey='${["AS-North", "a", "it''s"][partition % 3]}',RowKey='0000000${row % 5}')`;
      const body = JSON.stringify({ [`P${property % 4}`]: [1, "x", true, 2.5][value % 4], "When@odata.type": "Edm.DateTime", When: "2026-01-01T00:00:00Z" });
      const create = { method: "POST", headers, body: JSON.stringify({ TableName: name }) };
      const [address, options] = [
        [at, { method: "PUT", headers, body }], [at, { method: "PATCH", headers, body }], [at, { method: "DELETE", headers: { ...headers, "if-match": "*" } }],
        [`${base}Tables`, create], [`${base}Tables`, create], [`${base}Tables('${name}')`, { method: "DELETE", headers }],
      ][Math.min(operation % 16, 11) >> 1];
      statuses.push(await fetch(address, options).then(({ status }) => status, () => 0));
    }
    const failures = statuses.filter((status) => status === 0 || status >= 500);
    if (failures.length === 0) return [];
    const faults = await fetch("_sandtable/accounts/devstoreaccount1/faults", { headers: { "x-sandtable": "1" } });
    return (await faults.json()).on ? [] : failures;
  }, [0, 1, 2].map(() => [0, 1, 2, 3, 4, 5].map(() => random(large))));
}
