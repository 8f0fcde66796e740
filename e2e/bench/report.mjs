// Formats numbers and tables for the report.

/** Returns the q-th quantile of times; the last is the maximum. */
export function quantile(times, q) {
  return times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))];
}

export const median = (times) => quantile(times, 0.5);

/** Formats milliseconds with about three digits. */
export function ms(time) {
  return time.toFixed(time < 10 ? 2 : time < 100 ? 1 : 0);
}

/** Formats a promise, and whether a value misses it by being larger. */
export const atMost = (most, value, unit = "") => `${most}${unit && " " + unit}${value > most ? ": missed" : ""}`;

/**
 * Prints a table.
 *
 * @param {string[]} heads of the columns; the first is the title
 * @param {string[][]} rows with a cell for each; missing ones are empty
 */
export function print(heads, rows) {
  const lines = [heads, ...rows].map((row) => heads.map((_, i) => row[i] ?? ""));
  const widths = heads.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  for (const line of lines) {
    console.log(line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  ").trimEnd());
  }
  console.log();
}

let started = performance.now();

/** Reports progress on stderr. */
export function progress(what) {
  console.error(`[${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s] ${what}`);
}
