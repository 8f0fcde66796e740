// A browser and embedding sites for the tests of one file.

import { dropProfile, launch, newProfile } from "./browser.mjs";
import { serveSite } from "./embed-site.mjs";
import { after, before } from "./test.mjs";

/**
 * Registers the hooks that start and close the browser and its sites.
 *
 * @param {{launch: (profile: string) => Promise<object>}} engine Chromium, or one of lib/browsers.mjs
 */
export function embedding(engine = { launch }) {
  const sites = [];
  const here = {
    browser: null,

    /** Serves a site on its own origin. */
    async site(folder, files, how) {
      const made = await serveSite(folder, files, how);
      sites.push(made);
      return made;
    },
  };
  let profile;
  before(async () => {
    profile = await newProfile();
    here.browser = await engine.launch(profile);
  });
  after(async () => {
    await here.browser?.close();
    sites.forEach((site) => site.stop());
    await dropProfile(profile);
  });
  return here;
}

/** Writes and reads with the SDK in a page, through fetch or through Sandtable's HttpClient. */
export function useSDK(page, table, direct) {
  return page.evaluate(
    async (table, direct) => {
      const options = direct ? { httpClient: sandtable.httpClient } : {};
      const client = new sdk.TableClient(sandtable.endpoint(), table, options);
      await client.createTable();
      await client.createEntity({ partitionKey: "p", rowKey: "é", n: 1 });
      await client.updateEntity({ partitionKey: "p", rowKey: "é", m: 2 }, "Merge");
      await client.submitTransaction([["create", { partitionKey: "p", rowKey: "2" }], ["create", { partitionKey: "p", rowKey: "3" }]]);
      await client.deleteEntity("p", "3");
      const rows = [];
      for await (const { rowKey, n, m } of client.listEntities()) rows.push([rowKey, n ?? null, m ?? null]);
      return rows;
    },
    table,
    direct,
  );
}

/** What useSDK returns. */
export const rows = [["2", null, null], ["é", 1, 2]];
