import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { Button } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";

/** Copies a text; says so, and says where the browser does not let it. */
export function CopyButton(props: { text: string; label?: string }): VNode {
  const [done, setDone] = useState<boolean | undefined>(undefined);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.text);
      setDone(true);
    } catch {
      setDone(false);
    }
  };
  return (
    <>
      <Button kind="quiet" aria-label={props.label ?? texts.copy} onClick={() => void copy()}>
        {done === true ? texts.copied : texts.copy}
      </Button>
      <span role="status" class="hidden-text">
        {done === true && texts.copied}
      </span>
      {done === false && <span class="soft">{texts.copyRefused}</span>}
    </>
  );
}
