// What start is asked for, wherever it starts.

function refuseOption(why) {
  throw new SandtableError("InvalidOption", "start(): " + why);
}

/** Refuses options that do not exist: a slip of the pen would be ignored else. */
function refuseUnknown(unknown) {
  for (const name of Object.keys(unknown)) {
    refuseOption(`there is no option ${JSON.stringify(name)}.`);
  }
}

/** The options that say what the store is to be, as they are meant. */
function checkedStore({ accounts = [], durability }) {
  if (durability !== undefined && durability !== "relaxed" && durability !== "strict") {
    refuseOption('durability is "relaxed" or "strict".');
  }
  if (!Array.isArray(accounts)) {
    refuseOption("accounts is a list of names, or of { name, access }.");
  }
  const wanted = accounts.map((account) => (typeof account === "string" ? { name: account } : { name: account?.name, access: account?.access }));
  for (const { name, access } of wanted) {
    if (!/^[a-z0-9]{3,24}$/.test(name)) {
      refuseOption(`${JSON.stringify(name)} is not an account's name: 3 to 24 lower-case letters and digits.`);
    }
    if (access !== undefined && access !== "open" && access !== "strict") {
      refuseOption(`the access of ${name} is "open" or "strict".`);
    }
  }
  return { accounts: wanted, durability };
}
