// The playground's way to the sandbox, whose module is loaded when the first
// program runs. Output goes to the page a few times per second, however much it is.
{
const PREFIX = "sandtable playground ";

globalThis.sandtablePlayground = {
  locks: new Map(),
  // A program that is stopped while the module is being loaded ends before it begins.
  run(folder, origin, endpoint, code, deliver) {
    let run;
    let stopped = false;
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
    const start = async () => {
      const { createSandbox, oneAccount } = await import(folder + "host.js");
      run = createSandbox({ folder, answer: oneAccount({ origin, endpoint }) }).run(code, {
        log: (level, text, line, trees) => add({ level, text, line, trees }),
        table: ({ columns, rows }, line) => add({ level: "table", columns, rows, line }),
        clear: () => add({ level: "clear" }),
      });
      run.ended.then((end) => {
        add({ level: "end", end });
        flush();
      });
      if (stopped) run.stop();
    };
    const stop = () => {
      stopped = true;
      run?.stop();
    };
    return { started: start(), stop };
  },
  // Fails as a run of the code would before it starts.
  async check(folder, code) {
    const { checkCode } = await import(folder + "host.js");
    try {
      checkCode(code);
    } catch ({ line, message }) {
      throw new Error(`Line ${line}: ${message}`);
    }
  },
  // The accounts that playgrounds made are recorded in localStorage, each under
  // a name of its own, so that tabs do not overwrite each other's records. An
  // account is in use for as long as its page is open: its lock ends with the page.
  // It is recorded only with the lock held, so no record is without an owner
  // before its page is gone. Where there are no locks, none is recorded.
  async hold(account) {
    await new Promise((held) => {
      if (navigator.locks === undefined) {
        return held();
      }
      const hold = () => new Promise((release) => {
        this.locks.set(account, release);
        localStorage.setItem(PREFIX + account, "1");
        held();
      });
      navigator.locks.request(PREFIX + account, hold).catch(held); // without storage or locks, the account is not recorded
    });
  },
  release(account) {
    this.locks.get(account)?.();
    this.locks.delete(account);
  },
  // The recorded accounts that no page holds.
  async abandoned() {
    if (navigator.locks === undefined) {
      return "";
    }
    const { held = [] } = await navigator.locks.query();
    const inUse = new Set(held.map(({ name }) => name));
    return Object.keys(localStorage).filter((name) => name.startsWith(PREFIX) && !inUse.has(name)).map((name) => name.slice(PREFIX.length)).join(" ");
  },
  forget(account) {
    localStorage.removeItem(PREFIX + account);
  },
};
}
