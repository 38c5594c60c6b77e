import type { ComponentChildren, VNode } from "preact";

import { count } from "../format.js";
import { Button, Notice } from "./index.js";
import type { Pages } from "../view.js";
import { texts } from "../../texts/common.js";

/** A list that is read page by page, with the way to its next page below it. */
export function PagedList<Item>(props: {
  pages: Pages<Item>;
  children: (items: readonly Item[]) => ComponentChildren;
}): VNode {
  const { items, isLoaded, hasMore, loading, error, requests, loadMore, reload } = props.pages;
  if (!isLoaded) {
    if (error === undefined) return <p class="loading">{texts.loading}</p>;
    return (
      <>
        <Notice error={error} />
        <Button onClick={reload}>{texts.again}</Button>
      </>
    );
  }
  return (
    <>
      <Notice error={error} />
      {!(hasMore && items.length === 0) && props.children(items)}
      <p class="list-end" role="status">
        {hasMore && items.length === 0 && <span>{texts.noneSoFar(count(requests))}</span>}
        {items.length > 0 && <span class="soft">{texts.shown(items.length, hasMore)}</span>}
        {hasMore && (
          <Button busy={loading} onClick={loadMore}>
            {items.length === 0 ? texts.lookOn : texts.more}
          </Button>
        )}
      </p>
    </>
  );
}
