import type { ComponentChildren, VNode } from "preact";

import { texts } from "../../texts/common.js";
import { sentenceOf } from "../api.js";
import type { Loaded } from "../load.js";
import { Button } from "./button.js";

/** The sentence of an error beside the control that caused it; nothing without one. */
export function Notice(props: { error?: unknown; children?: ComponentChildren }): VNode | null {
  if (props.error === undefined && props.children === undefined) return null;
  return (
    <p class="notice" role="alert">
      {props.error === undefined ? props.children : sentenceOf(props.error)}
    </p>
  );
}

/** The state of a list or item before there is a value: loading, or the error with a way on. */
export function LoadState<T>(props: {
  loaded: Loaded<T>;
  children: (value: T) => ComponentChildren;
}): VNode {
  const { value, error, reload } = props.loaded;
  const failure =
    error === undefined ? null : (
      <div class="notice" role="alert">
        {texts.failedToLoad(sentenceOf(error))} <Button onClick={reload}>{texts.again}</Button>
      </div>
    );
  if (value === undefined) {
    return failure ?? <p class="loading">{texts.loading}</p>;
  }
  return (
    <>
      {failure}
      {props.children(value)}
    </>
  );
}
