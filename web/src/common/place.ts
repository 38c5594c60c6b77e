/** Places within a page: the part of the address behind `#`, such as `#/queues/mail?state=QUEUED`. */

export interface Place {
  /** The segments of the path, decoded: `["queues", "mail"]`. */
  path: readonly string[];
  /** The filters. */
  query: Readonly<Record<string, string>>;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a `%` that a person typed
  }
}

export function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  return {
    path: path.split("/").filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** The address of a place, for `href`. Filters that are undefined or empty are left out. */
export function addressOf(
  path: readonly (string | number)[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const filters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") filters.set(name, value);
  }
  const text = filters.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}
