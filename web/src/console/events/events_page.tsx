import { encodeJson, type EventFilter } from "holdfast";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { count, shortId } from "../../common/format.js";
import { useEvents } from "../../common/live.js";
import { usePlace } from "../../common/router.js";
import { Badge, Button, FilterBar, Notice, Time, type Filter } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { JsonView } from "../parts/json_view.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useSettled } from "../../common/view.js";
import { Tail, tailEventOf, type TailEvent } from "./tail.js";

/** The list is drawn at most so often, however many events come. Milliseconds. */
const DRAW_PAUSE = 250;

/** Events that wait to be drawn; of more the oldest would leave the list at once. */
const WAITING_MOST = 300;

const filters: readonly Filter[] = [
  { name: "types", label: texts.event.types, placeholder: "UnitFinalized, JobStepUpdated" },
  { name: "workflow_id", label: texts.event.workflow },
  { name: "step_id", label: texts.event.step },
  { name: "unit_id", label: texts.event.unit },
  {
    name: "from",
    label: texts.event.from,
    options: [
      ["", texts.event.fromNow],
      ["oldest", texts.event.fromOldest],
    ],
  },
];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The filter of the address; an id that is only half typed is left out. */
export function filterOf(query: Readonly<Record<string, string>>): EventFilter {
  const types = (query["types"] ?? "").split(/[\s,]+/).filter((type) => type !== "");
  const id = (name: string): string | undefined =>
    UUID.test(query[name] ?? "") ? query[name] : undefined;
  return {
    ...(types.length > 0 ? { types } : {}),
    ...(query["from"] === "oldest" ? { from: "oldest" as const } : {}),
    workflow_id: id("workflow_id"),
    step_id: id("step_id"),
    unit_id: id("unit_id"),
  };
}

function EventRow({ one }: { one: TailEvent }): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="event">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="event-time">
            <Time at={one.at} />
          </span>
          <Badge>{one.type}</Badge>
          {one.unitId !== undefined && (
            <span class="mono" title={one.unitId}>
              {texts.event.unitLink(shortId(one.unitId))}
            </span>
          )}
          {one.unitId === undefined && one.stepId !== undefined && (
            <span class="mono" title={one.stepId}>
              {texts.event.stepLink(shortId(one.stepId))}
            </span>
          )}
          <span class="soft">{texts.event.place(one.shard, one.seq)}</span>
        </summary>
        {isOpen && (
          <>
            {may("readWorkflows") && (
              <p class="row">
                {one.stepId !== undefined && (
                  <a href={places.step(one.stepId)}>{texts.event.stepLink(shortId(one.stepId))}</a>
                )}
                {one.unitId !== undefined && (
                  <a href={places.unit(one.unitId)}>{texts.event.unitLink(shortId(one.unitId))}</a>
                )}
              </p>
            )}
            <JsonView label={one.type} text={encodeJson(one.event)} />
          </>
        )}
      </details>
    </li>
  );
}

/** Events as they come, for one filter. */
function Stream({ filter }: { filter: EventFilter }): VNode {
  const tail = useRef(new Tail());
  const waiting = useRef<TailEvent[]>([]);
  const [held, setHeld] = useState<readonly TailEvent[] | undefined>(undefined);
  const [, draw] = useState(0);
  const [end, setEnd] = useState<unknown>(undefined);
  useEvents(filter, {
    onEvent: (event) => {
      waiting.current.push(tailEventOf(event));
      if (waiting.current.length <= WAITING_MOST) return;
      waiting.current.shift();
      tail.current.total++; // it came, and would have left the list at once
    },
    onEnd: setEnd,
  });
  useEffect(() => {
    const timer = setInterval(() => {
      if (waiting.current.length === 0) return;
      tail.current.add(waiting.current.splice(0));
      draw((number) => number + 1);
    }, DRAW_PAUSE);
    return () => clearInterval(timer);
  }, []);
  const shown = held ?? tail.current.events;
  const newest = held?.[0];
  const { events } = tail.current;
  const place = events.findIndex(({ key }) => key === newest?.key);
  const newer = place < 0 ? events.length : place;
  return (
    <>
      <div class="row split">
        <p role="status" class="soft">
          {texts.event.came(count(tail.current.total), shown.length)}
          {held !== undefined && ` · ${texts.event.held(count(newer))}`}
        </p>
        <Button onClick={() => setHeld(held === undefined ? tail.current.events : undefined)}>
          {held === undefined ? texts.event.hold : texts.event.goOn}
        </Button>
      </div>
      <Notice error={end} />
      {shown.length === 0 ? (
        <p class="empty">{texts.event.none}</p>
      ) : (
        <ol class="events" aria-label={texts.nav.events}>
          {shown.map((one) => (
            <EventRow key={one.key} one={one} />
          ))}
        </ol>
      )}
    </>
  );
}

export function EventsPage(): VNode {
  const { query } = usePlace();
  const filter = filterOf(useSettled(query));
  return (
    <>
      <h1>{texts.nav.events}</h1>
      <FilterBar filters={filters} />
      <Stream key={JSON.stringify(filter)} filter={filter} />
    </>
  );
}
