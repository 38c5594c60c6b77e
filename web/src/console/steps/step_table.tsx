import type { ListedStep } from "holdfast";
import type { ComponentChildren, VNode } from "preact";

import { count, rate, shortId } from "../../common/format.js";
import { Badge, Progress, Spark, Table, type Column } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { StateBadge } from "../../common/ui/state_badge.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { stepRates } from "./step_samples.js";

const columns: readonly Column<ListedStep>[] = [
  {
    key: "key",
    title: texts.step.step,
    cell: ({ id, key }) =>
      may("readWorkflows") ? (
        <a href={places.step(id)} title={id}>
          {key || shortId(id)}
        </a>
      ) : (
        <span title={id}>{key || shortId(id)}</span>
      ),
  },
  {
    key: "workflow",
    title: texts.step.workflow,
    cell: ({ workflow_id }) =>
      may("readWorkflows") ? (
        <a href={places.workflow(workflow_id)} class="mono" title={workflow_id}>
          {shortId(workflow_id)}
        </a>
      ) : (
        <span class="mono" title={workflow_id}>
          {shortId(workflow_id)}
        </span>
      ),
  },
  {
    key: "status",
    title: texts.step.status,
    cell: ({ status = "–", sealed }) => (
      <span class="row tight">
        <StateBadge state={status} />
        {sealed && <Badge>{texts.step.sealed}</Badge>}
      </span>
    ),
  },
  {
    key: "units",
    title: texts.step.units,
    cell: ({ key, completed_units = 0, total_units = 0 }) => (
      <Progress label={texts.step.progressOf(key)} done={completed_units} all={total_units} />
    ),
  },
  {
    key: "left",
    title: texts.step.left,
    numeric: true,
    cell: ({ completed_units = 0, total_units = 0 }) => count(total_units - completed_units),
  },
  {
    key: "spark",
    title: texts.step.rate,
    cell: ({ id, key }) => {
      const rates = stepRates(id);
      const last = rates[rates.length - 1];
      return (
        <span class="row tight">
          <span class="numeric">{last === undefined ? "–" : rate(last.value)}</span>
          <Spark
            label={texts.step.sparkWords(key, last === undefined ? "–" : rate(last.value))}
            values={rates.map(({ value }) => value)}
          />
        </span>
      );
    },
  },
];

export function StepTable(props: {
  steps: readonly ListedStep[];
  caption: string;
  empty?: ComponentChildren;
}): VNode {
  return (
    <Table
      caption={props.caption}
      hideCaption
      columns={columns}
      rows={props.steps}
      rowKey={({ id }) => id}
      empty={props.empty ?? texts.step.none}
    />
  );
}
