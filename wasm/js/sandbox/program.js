// The program that the worker runs: the runtime, the packages that the code
// imports, and the code itself, at its own line and column. Nothing is evaluated
// from text, and no module is loaded: the policy forbids both.

import { parse } from "../vendor/acorn.js";
import { LIMITS } from "./limits.js";

/** An error in the code, found before it ran. */
export class CodeError extends Error {
  /**
   * @param {string} message
   * @param {number} line from 1
   * @param {number} column from 1
   */
  constructor(message, line, column) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/**
 * @typedef {object} Node a node of acorn's tree, as far as it is read here
 * @property {string} type
 * @property {number} start
 * @property {number} end
 * @property {{start: {line: number, column: number}}} loc
 * @property {Node} source
 * @property {string} value
 * @property {Node[]} specifiers
 * @property {Node} imported
 * @property {Node} local
 * @property {string} name
 */

/**
 * Reads code as a module.
 *
 * @param {string} code
 * @param {string[]} modules that it may import
 * @param {number} [most] characters; more are refused unread, because parsing them holds up the page
 * @returns {{body: string, bindings: string[], imports: string[]}} the code with its imports blanked, what they
 *   declare, and the modules that it needs
 */
export function readCode(code, modules, most = LIMITS.code) {
  if (code.length > most) {
    throw new CodeError(`The code has more than ${most} characters.`, 1, 1);
  }
  /** @type {Node[]} */
  const dynamic = [];
  const tree = parseModule(code, dynamic);
  /** @type {string[]} */
  const bindings = [];
  /** @type {Set<string>} */
  const imports = new Set();
  const body = [];
  let copied = 0; // characters of the code that are in the body
  for (const node of tree) {
    if (node.type.startsWith("Export")) {
      throw errorAt(node, "A program here is one file: there is nobody to export to.");
    }
    if (node.type === "ImportDeclaration") {
      const name = node.source.value;
      if (!modules.includes(name)) {
        throw errorAt(node, `Only ${modules.join(", ")} can be imported here, not ${JSON.stringify(name)}: programs run without a network.`);
      }
      imports.add(name);
      bindings.push(...node.specifiers.map((specifier) => binding(specifier, name)));
      body.push(code.slice(copied, node.start), code.slice(node.start, node.end).replace(/[^\n\r\u2028\u2029]/g, " "));
      copied = node.end;
    }
  }
  for (const node of dynamic) {
    throw errorAt(node, "Import modules at the top, as in import { TableClient } from \"@azure/data-tables\".");
  }
  body.push(code.slice(copied));
  // #! is permitted at the beginning of a file alone, where the runtime is.
  return { body: body.join("").replace(/^#!/, "//"), bindings, imports: [...imports] };
}

/**
 * @param {string} code
 * @param {Node[]} refused gets what a program in one file cannot have
 * @returns {Node[]} the statements
 */
function parseModule(code, refused) {
  /** @type {Node[]} */
  const tokens = [];
  try {
    const tree = parse(code, {
      ecmaVersion: "latest",
      sourceType: "module",
      locations: true,
      onToken: code.includes(OPEN) ? tokens : undefined,
    });
    refuseOpen(code, tokens);
    walk(tree, (node) => (node.type === "ImportExpression" || node.type === "MetaProperty" && code.startsWith("import", node.start)) && refused.push(node));
    return tree.body;
  } catch (reason) {
    if (reason instanceof CodeError) {
      throw reason;
    }
    const { message, loc } = /** @type {Error & {loc?: {line: number, column: number}}} */ (reason);
    if (loc === undefined) {
      throw new CodeError("The code is nested too deeply.", 1, 1);
    }
    throw new CodeError(message.replace(/ \(\d+:\d+\)$/, ""), loc.line, loc.column + 1);
  }
}

const OPEN = "<!--";

/**
 * Refuses what would run as other code than was checked: the worker's script is
 * no module, and there OPEN begins a comment, while in a module it is three
 * operators. Its counterpart, at the beginning of a line, is never valid in a module.
 *
 * @param {string} code
 * @param {Node[]} tokens
 */
function refuseOpen(code, tokens) {
  for (const token of tokens) {
    if (code.startsWith(OPEN, token.start) && code.slice(token.start, token.end) === "<") {
      throw errorAt(token, "Write < !-- with a space: in scripts, the four characters together begin a comment.");
    }
  }
}

/**
 * Calls f with each node of a tree.
 *
 * @param {any} tree
 * @param {(node: Node) => void} f
 */
function walk(tree, f) {
  const open = [tree];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value?.type === "string") {
      f(value);
    }
    if (value !== null && typeof value === "object") {
      open.push(...Object.values(value).filter((child) => child !== null && typeof child === "object"));
    }
  }
}

/**
 * @param {Node} specifier
 * @param {string} module
 */
function binding(specifier, module) {
  const from = `$modules[${JSON.stringify(module)}]`;
  if (specifier.type === "ImportNamespaceSpecifier") {
    return `const ${specifier.local.name} = ${from};`;
  }
  const imported = specifier.type === "ImportDefaultSpecifier" ? "default" : (specifier.imported.name ?? specifier.imported.value);
  return `const ${specifier.local.name} = $import($modules, ${JSON.stringify(module)}, ${JSON.stringify(imported)});`;
}

/**
 * @param {Node} node
 * @param {string} message
 */
const errorAt = ({ loc: { start } }, message) => new CodeError(message, start.line, start.column + 1);

/**
 * Returns the worker's script.
 *
 * @param {string} runtime the runtime's script
 * @param {{name: string, variable: string, script: string}[]} modules those that the code needs
 * @param {{body: string, bindings: string[]}} code
 * @param {Pick<import("./limits.js").Limits, "messages" | "bytes">} limits
 */
export function compose(runtime, modules, { body, bindings }, { messages, bytes }) {
  const first = [runtime, ...modules.map(({ script }) => script)].join("\n");
  const table = modules.map(({ name, variable }) => `${JSON.stringify(name)}: ${variable}`).join(", ");
  const line = first.split("\n").length + 2; // where the code begins
  return `${first}
sandboxRun({ ${table} }, ${line}, ${JSON.stringify({ messages, bytes })}, async ($modules, $import) => { "use strict"; ${bindings.join(" ")}
${body}
});
`;
}
