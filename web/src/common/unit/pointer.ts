/** JSON pointers (RFC 6901) into inputs. */

/** The value at a place; undefined where there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  if (pointer === "") return document;
  if (!pointer.startsWith("/")) return undefined;
  let value = document;
  for (const escaped of pointer.slice(1).split("/")) {
    const token = escaped.replace(/~1/g, "/").replace(/~0/g, "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[token];
  }
  return value;
}

/** The pointer to a member of the value at `pointer`. */
export function memberPointer(pointer: string, name: string): string {
  return `${pointer}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
