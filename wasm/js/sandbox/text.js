// Texts of the program, which may be of any length.

/**
 * @param {string} text
 * @param {number} [limit]
 */
export function cut(text, limit = 10_000) {
  return text.length <= limit ? text : text.slice(0, limit) + "…";
}
