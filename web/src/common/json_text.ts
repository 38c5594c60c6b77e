/** JSON text for people: laid out anew, with every number and string as it was written. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Lays JSON text out with two spaces; text that is no JSON comes back as it is. */
export function prettyJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(TOKEN) ?? [];
  let out = "";
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(depth)}`;
  for (const [place, token] of tokens.entries()) {
    const next = tokens[place + 1];
    if (token === "{" || token === "[") {
      const isEmpty = next === "}" || next === "]";
      depth++;
      out += token + (isEmpty ? "" : line());
    } else if (token === "}" || token === "]") {
      depth--;
      const before = tokens[place - 1];
      out += (before === "{" || before === "[" ? "" : line()) + token;
    } else if (token === ",") {
      out += token + line();
    } else if (token === ":") {
      out += ": ";
    } else {
      out += token;
    }
  }
  return out;
}

/** The reason why text is no JSON; undefined where it is. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
