import type { VNode } from "preact";

import { count, percent } from "../format.js";

/** A part of a whole, with both numbers. */
export function Progress(props: { label: string; done: number; all: number }): VNode {
  const share = props.all > 0 ? props.done / props.all : 0;
  return (
    <div class="progress">
      <progress aria-label={props.label} max={Math.max(props.all, 1)} value={props.done} />
      <span>
        {count(props.done)} / {count(props.all)} ({percent(share)})
      </span>
    </div>
  );
}
