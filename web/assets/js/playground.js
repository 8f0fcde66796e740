// The playground's way to the sandbox, whose module is loaded when the first
// program runs. Output goes to the page a few times per second, however much it is.
globalThis.sandtablePlayground = {
  locks: new Map(),
  async run(folder, origin, endpoint, code, deliver) {
    const { createSandbox } = await import(folder + "host.js");
    let batch = [];
    let timer = 0;
    const flush = () => {
      clearTimeout(timer);
      timer = 0;
      if (batch.length > 0) deliver(JSON.stringify(batch.splice(0)));
    };
    const add = (output) => {
      batch.push(output);
      timer ||= setTimeout(flush, 50);
    };
    const run = createSandbox({ folder, origin, endpoint }).run(code, {
      log: (level, text, line) => add({ level, text, line }),
      table: ({ columns, rows }, line) => add({ level: "table", columns, rows, line }),
      clear: () => add({ level: "clear" }),
    });
    run.ended.then((end) => {
      add({ level: "end", end });
      flush();
    });
    return run;
  },
  // An account is in use for as long as its page is open: the lock ends with it.
  hold(account) {
    navigator.locks?.request("sandtable playground " + account, () => new Promise((release) => this.locks.set(account, release)));
  },
  release(account) {
    this.locks.get(account)?.();
    this.locks.delete(account);
  },
  async held() {
    const { held = [] } = (await navigator.locks?.query()) ?? {};
    return held.map(({ name }) => name.split(" ").at(-1)).join(" ");
  },
};
