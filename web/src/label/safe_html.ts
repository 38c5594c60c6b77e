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
  const { body } = new DOMParser().parseFromString(html, "text/html");
  return childrenOf(body, 0);
}
