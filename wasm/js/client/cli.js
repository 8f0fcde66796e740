#!/usr/bin/env node
// The commands of the npm package: serve and copy.

const usage = `usage: sandtable COMMAND [flags]

  serve    answer the Table service REST API on a port of this machine
  copy     copy what a site serves into its folder of static files

"sandtable COMMAND -h" lists the flags of a command.`;

const [command = "", ...rest] = process.argv.slice(2);
if (command === "help" && rest.length === 1) process.argv.splice(2, 2, rest[0], "-h"); // help COMMAND
const chosen = process.argv[2];
if (chosen === "serve") {
  await import("./serve.js");
} else if (chosen === "copy") {
  await import("./copy.js");
} else if (["help", "-h", "-help", "--help"].includes(chosen)) {
  console.log(usage);
} else {
  console.error(command === "" ? usage : `sandtable: unknown command ${JSON.stringify(chosen)}; "sandtable help" lists the commands`);
  process.exit(2);
}
