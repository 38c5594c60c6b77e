import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { texts } from "../../texts/common.js";
import { duration, localTime, secondsSince, utcTime } from "../format.js";

/** A time in the zone of the viewer, UTC on hover. `relative`: as its distance, kept up to date. */
export function Time(props: { at: string | null | undefined; relative?: boolean }): VNode {
  const { at, relative = false } = props;
  const [, setNow] = useState(0);
  useEffect(() => {
    if (!relative) return undefined;
    const timer = setInterval(() => setNow((number) => number + 1), 10_000);
    return () => clearInterval(timer);
  }, [relative]);
  if (at === null || at === undefined) return <span>–</span>;
  const seconds = secondsSince(at);
  const distance = duration(Math.round(Math.abs(seconds)));
  const text = !relative
    ? localTime(at)
    : seconds >= 0
      ? texts.ago(distance)
      : texts.inTime(distance);
  return (
    <time dateTime={at} title={relative ? `${localTime(at)} · ${utcTime(at)}` : utcTime(at)}>
      {text}
    </time>
  );
}
