import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import { count } from "../../common/format.js";
import { Button } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { prettyJson } from "../../common/json_text.js";

/** Characters that are shown at once; a body may have a quarter of a million. */
const CHARACTERS_MOST = 20_000;

/** JSON as text; nothing in it is ever more than text. */
export function JsonView(props: { label: string; text: string | undefined }): VNode {
  const [isWhole, setWhole] = useState(false);
  const text = useMemo(() => prettyJson(props.text ?? ""), [props.text]);
  if (props.text === undefined) return <p class="soft">{texts.none}</p>;
  const isCut = !isWhole && text.length > CHARACTERS_MOST;
  return (
    <>
      <pre class="json" tabIndex={0} role="region" aria-label={props.label}>
        {isCut ? text.slice(0, CHARACTERS_MOST) : text}
      </pre>
      {isCut && <Button onClick={() => setWhole(true)}>{texts.showAll(count(text.length))}</Button>}
    </>
  );
}
