// Records which of an SDK's public functions and methods the tests call.

/**
 * Wraps a module's exports so that a call removes the function's name from the
 * set `missing`. Pages run this function's source, so it captures nothing.
 *
 * @param {object} module such as @azure/data-tables
 * @returns {{sdk: object, missing: Set<string>}} names such as "odata",
 *   "new TableClient" and "TableClient.getEntity"
 */
export function record(module) {
  const missing = new Set();
  const seen = (name, call) => {
    missing.add(name);
    return function (...args) {
      missing.delete(name);
      return call.apply(this, args);
    };
  };
  const wrapMembers = (name, owner) => {
    for (const [member, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (member === "constructor" || member === "prototype") continue;
      for (const kind of ["value", "get"]) {
        if (typeof property[kind] === "function") {
          property[kind] = seen(`${name}.${member}`, property[kind]);
          Object.defineProperty(owner, member, property);
        }
      }
    }
  };
  const wrapClass = (name, type) => {
    wrapMembers(name, type);
    wrapMembers(name, type.prototype);
    missing.add(`new ${name}`);
    return new Proxy(type, {
      construct(target, args, newTarget) {
        missing.delete(`new ${name}`);
        return Reflect.construct(target, args, newTarget);
      },
    });
  };
  // Old modules use constructor functions instead of classes.
  const isClass = (type) => Function.prototype.toString.call(type).startsWith("class") || Object.keys(type.prototype ?? {}).length > 0;
  const sdk = {};
  for (const [name, exported] of Object.entries(module)) {
    if (typeof exported !== "function") {
      sdk[name] = exported;
    } else if (isClass(exported)) {
      sdk[name] = wrapClass(name, exported);
    } else {
      sdk[name] = seen(name, exported);
    }
  }
  return { sdk, missing };
}
