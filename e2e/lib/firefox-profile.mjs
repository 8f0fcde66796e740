// Makes the profile that lib/firefox.mjs copies for each new one. Run by "npm test".

import { mkdir, rename, rm } from "node:fs/promises";
import { chosenEngines } from "./browsers.mjs";
import { used } from "./firefox.mjs";

const firefox = chosenEngines().find(({ name }) => name === "Firefox");
if (firefox !== undefined) {
  const profile = used + ".new";
  await Promise.all([used, profile].map((folder) => rm(folder, { recursive: true, force: true })));
  await mkdir(profile, { recursive: true });
  const browser = await firefox.launch(profile);
  await browser.close();
  await rename(profile, used);
}
