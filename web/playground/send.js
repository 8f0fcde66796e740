const pretty = (text) => {
  let out = "", depth = 0, quoted = false;
  const line = (by) => "\n" + "  ".repeat(Math.max(0, depth += by));
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) { out += c; if (c === "\\") out += text[++i] ?? ""; else if (c === "\"") quoted = false; }
    else if (c === "\"") { quoted = true; out += c; }
    else if ((c === "{" && text[i + 1] === "}") || (c === "[" && text[i + 1] === "]")) { out += c + text[++i]; }
    else if (c === "{" || c === "[") out += c + line(1);
    else if (c === "}" || c === "]") out += line(-1) + c;
    else if (c === ",") out += c + line(0);
    else if (c === ":") out += ": ";
    else out += c;
  }
  return out;
};
const send = async (method, url, headers, body) => {
  const answer = await fetch(url, { method, headers, body });
  const text = await answer.text();
  const shown = /json/.test(answer.headers.get("content-type") ?? "") ? pretty(text) : text;
  const head = [...answer.headers].map(([name, value]) => name + ": " + value);
  return { ok: answer.ok, text: [method + " " + new URL(url).pathname, (answer.status + " " + answer.statusText).trim(), ...head, ...(shown === "" ? [] : ["", shown])].join("\n") };
};
