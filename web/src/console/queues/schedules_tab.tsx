import { JsonText, textAt, type ScheduleView, type TaskRequest } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { timeIn, utcTime } from "../../common/format.js";
import { useLoad } from "../../common/load.js";
import { Badge, Button, LoadState, Notice, TextField, Time, toast } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { ActionButton, ConfirmedButton } from "../../common/ui/action_button.js";
import { DefinitionEditor } from "../parts/definition_editor.js";
import { Facts } from "../../common/ui/facts.js";
import { JsonView } from "../parts/json_view.js";
import { PagedList } from "../../common/ui/paged_list.js";
import { may } from "../../common/rights.js";
import { usePages } from "../../common/view.js";

const SCHEDULES_PER_PAGE = 50;
const TIMES_AHEAD = 10;

interface Row {
  schedule: ScheduleView;
  /** The definition as it was given, to the byte. */
  text: string;
}

interface Definition {
  cron?: unknown;
  time_zone?: unknown;
  paused?: boolean;
  task?: TaskRequest;
}

const EXAMPLE = `{
  "cron": "0 6 * * MON-FRI",
  "time_zone": "Europe/Berlin",
  "task": {"type": "report.daily", "body": {}}
}`;

function definitionOf({ schedule }: Row): Definition {
  const { definition } = schedule;
  return typeof definition === "object" && definition !== null ? definition : {};
}

function setPaused(row: Row, paused: boolean): Promise<unknown> {
  const { queue, name } = row.schedule;
  return api.putSchedule(queue, name, { ...definitionOf(row), paused });
}

async function makeNow({ schedule }: Row): Promise<void> {
  const { id } = await api.runSchedule(schedule.queue, schedule.name);
  toast(texts.schedule.made(id));
}

function ScheduleActions(props: { row: Row; onChange: () => void; onEdit: () => void }): VNode {
  const { row, onChange } = props;
  const { queue, name, paused } = row.schedule;
  return (
    <div class="page-actions">
      <ConfirmedButton
        title={texts.schedule.runTitle(name)}
        question={texts.schedule.runQuestion}
        run={() => makeNow(row)}
        done={texts.schedule.ran(name)}
        label={texts.schedule.runOf(name)}
      >
        {texts.schedule.run}
      </ConfirmedButton>
      <ActionButton
        run={() => setPaused(row, !paused)}
        done={paused ? texts.schedule.resumed(name) : texts.schedule.wasPaused(name)}
        onDone={onChange}
        label={paused ? texts.schedule.resumeOf(name) : texts.schedule.pauseOf(name)}
      >
        {paused ? texts.schedule.resume : texts.schedule.pause}
      </ActionButton>
      <Button aria-label={texts.schedule.editOf(name)} onClick={props.onEdit}>
        {texts.edit}
      </Button>
      <ConfirmedButton
        danger
        title={texts.schedule.removeTitle(name)}
        question={texts.schedule.removeQuestion}
        run={() => api.removeSchedule(queue, name)}
        done={texts.schedule.removed(name)}
        onDone={onChange}
        label={texts.schedule.removeOf(name)}
      >
        {texts.schedule.remove}
      </ConfirmedButton>
    </div>
  );
}

/** The next times, by the clocks of the schedule's place. */
function NextTimes({ schedule }: { schedule: ScheduleView }): VNode {
  const { queue, name, revision } = schedule;
  const preview = useLoad(
    (signal) => api.previewSchedule(queue, name, { count: TIMES_AHEAD }, { signal }),
    [queue, name, revision],
  );
  return (
    <LoadState loaded={preview}>
      {({ occurrences, time_zone }) =>
        occurrences.length === 0 ? (
          <p>{texts.schedule.noMoreTimes}</p>
        ) : (
          <ol>
            {occurrences.map(
              (at) =>
                at !== null && (
                  <li key={at}>
                    <time dateTime={at} title={utcTime(at)}>
                      {timeIn(at, time_zone)}
                    </time>
                  </li>
                ),
            )}
          </ol>
        )
      }
    </LoadState>
  );
}

function Ahead({ schedule }: { schedule: ScheduleView }): VNode {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.schedule.ahead(TIMES_AHEAD)}</summary>
      {open && <NextTimes schedule={schedule} />}
    </details>
  );
}

function Schedule(props: { row: Row; onChange: () => void; onEdit: () => void }): VNode {
  const { row } = props;
  const { schedule, text } = row;
  const { cron, time_zone = "UTC", task } = definitionOf(row);
  return (
    <article class="panel">
      <div class="panel-head">
        <h3 class="break">{schedule.name}</h3>
        {schedule.paused && <Badge tone="warning">{texts.paused}</Badge>}
        {may("changeQueues") && <ScheduleActions {...props} />}
      </div>
      {schedule.problem !== undefined && <Notice>{schedule.problem}</Notice>}
      <Facts
        facts={[
          [texts.schedule.times, <code>{`${String(cron)} · ${String(time_zone)}`}</code>],
          [texts.schedule.next, <Time at={schedule.paused ? undefined : schedule.next_due} />],
          [texts.schedule.last, <Time at={schedule.last_made} />],
          [texts.task.type, <span class="break">{String(task?.type ?? "–")}</span>],
        ]}
      />
      <Ahead schedule={schedule} />
      <details>
        <summary>{texts.schedule.definition}</summary>
        <JsonView label={texts.schedule.definition} text={text} />
      </details>
    </article>
  );
}

export function SchedulesTab({ queue }: { queue: string }): VNode {
  const pages = usePages<Row>(
    async (after, signal) => {
      const answer = await api.listSchedules(
        queue,
        { after, limit: SCHEDULES_PER_PAGE },
        { signal },
      );
      const items = answer.schedules.map((schedule, place) => ({
        schedule,
        text: textAt(answer, "schedules", place, "definition") ?? "{}",
      }));
      return { items, next: answer.more ? items[items.length - 1]?.schedule.name : undefined };
    },
    [queue],
  );
  const [edited, setEdited] = useState<{ name: string; text: string } | undefined>(undefined);
  const [newName, setNewName] = useState("");
  const save = async (name: string, text: string): Promise<void> => {
    await api.putSchedule(queue, name, new JsonText(text));
    toast(texts.schedule.saved(name));
    setNewName("");
    pages.reload();
  };
  return (
    <section>
      {may("changeQueues") && (
        <form
          class="row new-item"
          onSubmit={(event) => {
            event.preventDefault();
            const there = pages.items.find(({ schedule }) => schedule.name === newName);
            if (newName !== "") setEdited({ name: newName, text: there?.text ?? "" });
          }}
        >
          <TextField
            label={texts.schedule.newName}
            maxLength={128}
            value={newName}
            onValue={setNewName}
          />
          <Button type="submit">{texts.schedule.new}</Button>
        </form>
      )}
      <PagedList pages={pages}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="empty">{texts.schedule.none}</p>
          ) : (
            rows.map((row) => (
              <Schedule
                key={row.schedule.name}
                row={row}
                onChange={pages.reload}
                onEdit={() => setEdited({ name: row.schedule.name, text: row.text })}
              />
            ))
          )
        }
      </PagedList>
      {edited !== undefined && (
        <DefinitionEditor
          title={texts.schedule.editTitle(edited.name)}
          before={edited.text}
          {...(edited.text === "" ? { draft: EXAMPLE } : {})}
          save={(text) => save(edited.name, text)}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}
