/**
 * HTML of strangers as a tree of a few harmless elements without attributes. The parser of the
 * browser reads it in a document of its own, where nothing is run or fetched; the page then makes
 * elements of the tree, so that no text becomes HTML again.
 */

export type SafeNode = string | { tag: string; children: SafeNode[] };

const KEPT: ReadonlySet<string> = new Set(
  (
    "p br hr h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code em i strong b u s sub sup " +
    "small mark del ins table caption thead tbody tfoot tr th td figure figcaption div span " +
    "section article abbr cite q kbd samp var"
  ).split(" "),
);

/** Elements whose content is no text for people. */
const DROPPED: ReadonlySet<string> = new Set(
  (
    "script style template noscript iframe object embed svg math head title link meta base form " +
    "input button select textarea option audio video canvas frame frameset"
  ).split(" "),
);

/** The place behind an element without tags in it, such as a script; the end where it is open. */
function endOfRaw(html: string, from: number, name: string): number {
  const closing = new RegExp(`</${name}[^a-z0-9]`, "gi");
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

/**
 * The tags without their attributes, scripts and styles. The tree has none of them anyway; but the
 * parser would report each as a breach of the policy of the page, though it never runs them.
 */
export function withoutAttributes(html: string): string {
  const made: string[] = [];
  let from = 0;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", from)) {
    made.push(html.slice(from, at));
    if (html.startsWith("<!--", at)) {
      const end = html.indexOf("-->", at + 4);
      if (end < 0) return made.join("");
      from = end + 3;
      continue;
    }
    const name = /^<\/?[a-z][a-z0-9]*/i.exec(html.slice(at, at + 40))?.[0];
    if (name === undefined) {
      made.push("&lt;"); // a `<` between numbers
      from = at + 1;
      continue;
    }
    let end = at + name.length;
    for (let quote = ""; end < html.length; end++) {
      const one = html.charAt(end);
      if (quote === "" && one === ">") break;
      if (quote === "" ? one === '"' || one === "'" : one === quote)
        quote = quote === "" ? one : "";
    }
    from = end + 1;
    const raw = /^<(script|style)$/i.exec(name)?.[1];
    if (raw === undefined) made.push(`${name}>`);
    else from = endOfRaw(html, from, raw);
  }
  made.push(html.slice(from));
  return made.join("");
}

const NODES_MAX = 20_000;
const DEPTH_MAX = 60;

export function safeTreeOf(html: string): SafeNode[] {
  let count = 0;
  const childrenOf = (parent: Node, depth: number): SafeNode[] => {
    const made: SafeNode[] = [];
    for (const child of parent.childNodes) {
      if (++count > NODES_MAX) break;
      if (child.nodeType === Node.TEXT_NODE) made.push(child.textContent ?? "");
      if (child.nodeType !== Node.ELEMENT_NODE) continue;
      const tag = child.nodeName.toLowerCase();
      if (DROPPED.has(tag)) continue;
      if (depth === DEPTH_MAX) {
        made.push(child.textContent ?? "");
        continue;
      }
      const children = childrenOf(child, depth + 1);
      // The page has its own headings above; those of an input begin below them.
      const kept = /^h[1-6]$/.test(tag) ? "h4" : tag;
      if (KEPT.has(tag)) made.push({ tag: kept, children });
      else made.push(...children);
    }
    return made;
  };
  const { body } = new DOMParser().parseFromString(withoutAttributes(html), "text/html");
  return childrenOf(body, 0);
}
