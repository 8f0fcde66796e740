#!/usr/bin/env node
// The commands of the npm package: serve and copy.

const [command] = process.argv.slice(2);
await import(command === "serve" ? "./serve.js" : "./copy.js");
