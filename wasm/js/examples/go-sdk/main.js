import { start } from "./sandtable.js";

await start(); // before the program sends its first request

// What the program prints, a line at a time, goes into the page.
const output = document.querySelector("pre");
const decoder = new TextDecoder();
globalThis.fs.writeSync = (_, bytes) => {
  output.append(decoder.decode(bytes));
  return bytes.length;
};

const go = new Go();
const { instance } = await WebAssembly.instantiateStreaming(fetch("go-sdk.wasm"), go.importObject);
await go.run(instance);
document.documentElement.dataset.ready = "";
