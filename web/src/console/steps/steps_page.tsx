import type { ListedStep } from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { usePlace } from "../../common/router.js";
import { Button, FilterBar } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { PagedList } from "../../common/ui/paged_list.js";
import { usePages } from "../../common/view.js";
import { StepTable } from "./step_table.js";

const STEPS_PER_PAGE = 100;

const STATUSES = ["Open", "Paused", "Completed", "Canceled"];

/** All steps, in order of creation. The API does not filter them: the page does, as far as read. */
export function StepsPage(): VNode {
  const { query } = usePlace();
  const { status = "", key = "" } = query;
  const pages = usePages<ListedStep>(async (after, signal) => {
    const { steps } = await api.listSteps({ after, limit: STEPS_PER_PAGE }, { signal });
    const last = steps[steps.length - 1];
    return { items: steps, next: steps.length < STEPS_PER_PAGE ? undefined : last?.id };
  }, []);
  return (
    <>
      <div class="page-head">
        <h1>{texts.nav.steps}</h1>
        <div class="page-actions">
          <Button onClick={pages.reload}>{texts.refresh}</Button>
        </div>
      </div>
      <FilterBar
        filters={[
          {
            name: "status",
            label: texts.step.status,
            options: [["", texts.any], ...STATUSES.map((one) => [one, one] as const)],
          },
          { name: "key", label: texts.step.keyHas },
        ]}
      />
      <PagedList pages={pages}>
        {(steps) => (
          <StepTable
            steps={steps.filter(
              (step) => (status === "" || step.status === status) && step.key.includes(key),
            )}
            caption={texts.nav.steps}
          />
        )}
      </PagedList>
    </>
  );
}
