import { HoldfastError, JsonText } from "holdfast";
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import { api } from "../common/api.js";
import { useAction } from "../common/load.js";
import { go } from "../common/router.js";
import { Button, Field, Notice, Select, TextArea, TextField, toast } from "../common/ui/index.js";
import { jsonProblem, prettyJson } from "../common/json_text.js";
import { isRecord } from "../common/unit/pointer.js";
import { texts as consoleTexts } from "../texts/console.js";
import { texts } from "../texts/workbench.js";
import { places } from "./places.js";
import { Preview } from "./preview.js";
import { sampleInput } from "./samples.js";
import {
  MEDIA,
  TEMPLATES,
  definitionOf,
  emptyForm,
  labelsOf,
  problemsOf,
  rulesOf,
  type Medium,
  type Slot,
  type TemplateForm,
  type TemplateName,
} from "./templates.js";

export function TemplatesPage(): VNode {
  return (
    <>
      <h1>{texts.template.title}</h1>
      <p class="soft">{texts.template.lead}</p>
      <ul class="templates">
        {TEMPLATES.map((name) => (
          <li key={name}>
            <a class="template panel" href={places.template(name)}>
              <strong>{texts.template.names[name]}</strong>
              <span class="soft">{texts.template.about[name]}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The problems that the node names, each with its place. */
function Refusal({ error }: { error: unknown }): VNode {
  if (!(error instanceof HoldfastError) || error.errors.length === 0) {
    return <Notice error={error} />;
  }
  return (
    <div class="notice" role="alert">
      <p>{texts.form.refused}</p>
      <ul class="plain-list">
        {error.errors.map(({ place, detail }) => (
          <li key={`${place} ${detail}`}>
            <code>{place === "" ? "/" : place}</code>: {detail}
          </li>
        ))}
      </ul>
    </div>
  );
}

function firstStepOf(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) && Array.isArray(parsed.steps) ? parsed.steps[0] : undefined;
  } catch {
    return undefined;
  }
}

export function NewWorkflow({ name }: { name: string }): VNode {
  const template = TEMPLATES.find((one) => one === name);
  if (template === undefined) return <TemplatesPage />;
  return <TemplateEditor template={template} />;
}

function TemplateEditor({ template }: { template: TemplateName }): VNode {
  const rules = rulesOf(template);
  const [form, setForm] = useState<TemplateForm>(() =>
    emptyForm(template, labelsOf(texts.form.defaultLabels)),
  );
  const [labelText, setLabelText] = useState(form.labels.join("\n"));
  const [edited, setEdited] = useState<string | undefined>(undefined);
  const [isAsked, setAsked] = useState(false);
  const set = (change: Partial<TemplateForm>): void => setForm({ ...form, ...change });
  const problems = problemsOf(form);
  const problemAt = (at: string): string | undefined => {
    const found = problems.find((one) => one.at === at);
    // A field that nobody has filled in yet is no mistake before the workflow is asked for.
    if (found === undefined || (found.kind === "missing" && !isAsked)) return undefined;
    return texts.form.problem(found);
  };
  const text = edited ?? JSON.stringify(definitionOf(form), null, 2);
  const noJson = edited === undefined ? undefined : jsonProblem(edited);
  const input = useMemo(() => sampleInput(form), [form]);
  const create = useAction(async () => {
    setAsked(true);
    if (noJson !== undefined || (edited === undefined && problems.length > 0)) return;
    const made = await api.createWorkflow(new JsonText(text));
    toast(texts.form.created(form.name));
    go(places.workflow(made.workflow_id, "data"));
  });
  return (
    <>
      <p class="crumbs">
        <a href={places.create}>{texts.template.back}</a>
      </p>
      <h1>{texts.template.names[template]}</h1>
      <div class="bench">
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void create.run();
          }}
        >
          <fieldset class="stack bench-form" disabled={edited !== undefined}>
            <TextField
              label={texts.form.name}
              hint={texts.form.nameHint}
              problem={problemAt("name")}
              value={form.name}
              onValue={(one) => set({ name: one })}
            />
            <TextField
              label={texts.form.question}
              hint={texts.form.questionHint}
              problem={problemAt("question")}
              value={form.question}
              onValue={(question) => set({ question })}
            />
            <TextArea
              label={texts.form.instructions}
              hint={texts.form.instructionsHint}
              problem={problemAt("ui")}
              rows={3}
              value={form.instructions}
              onValue={(instructions) => set({ instructions })}
            />
            {rules.labels !== "none" && (
              <TextArea
                label={rules.labels === "optional" ? texts.form.labelsOptional : texts.form.labels}
                problem={problemAt("labels")}
                rows={4}
                value={labelText}
                onValue={(one) => {
                  setLabelText(one);
                  set({ labels: labelsOf(one) });
                }}
              />
            )}
            {template === "media_choice" && (
              <Select
                label={texts.form.medium}
                value={form.medium}
                options={MEDIA.map((one) => [one, texts.form.media[one]] as const)}
                onValue={(one) => set({ medium: one as Medium })}
              />
            )}
            <TextField
              label={texts.form.judgments}
              hint={texts.form.judgmentsHint}
              problem={problemAt("judgments")}
              inputMode="numeric"
              value={Number.isNaN(form.judgments) ? "" : String(form.judgments)}
              onValue={(one) => set({ judgments: one.trim() === "" ? NaN : Number(one) })}
            />
            {template === "review_after_doubt" && (
              <TextField
                label={texts.form.doubt}
                hint={texts.form.doubtHint}
                problem={problemAt("doubt")}
                type="number"
                min="0"
                max="1"
                step="0.01"
                value={Number.isNaN(form.doubt) ? "" : String(form.doubt)}
                onValue={(one) => set({ doubt: one.trim() === "" ? NaN : Number(one) })}
              />
            )}
            <h2>{texts.form.columns}</h2>
            <p class="soft">{texts.form.columnsHint}</p>
            {rules.slots.map((slot: Slot) => (
              <TextField
                key={slot}
                label={template === "tags" ? texts.form.slotsFixed.tags : texts.form.slots[slot]}
                problem={problemAt(slot)}
                value={form.members[slot] ?? ""}
                onValue={(one) => set({ members: { ...form.members, [slot]: one.trim() } })}
              />
            ))}
            <Field label={texts.form.tests} hint={texts.form.testsHint}>
              {(control) => (
                <input
                  type="checkbox"
                  {...control}
                  checked={form.hasTests}
                  onChange={(event) => set({ hasTests: event.currentTarget.checked })}
                />
              )}
            </Field>
          </fieldset>
          <details open={edited !== undefined}>
            <summary>{texts.form.advanced}</summary>
            <TextArea
              label={texts.form.advanced}
              hint={edited === undefined ? texts.form.checked : texts.form.edited}
              problem={noJson === undefined ? undefined : consoleTexts.editor.noJson(noJson)}
              class="editor"
              rows={16}
              spellcheck={false}
              value={edited ?? prettyJson(text)}
              onValue={setEdited}
            />
            {edited !== undefined && (
              <Button onClick={() => setEdited(undefined)}>{texts.form.discard}</Button>
            )}
          </details>
          <Refusal error={create.error} />
          <div class="page-actions">
            <Button kind="main" type="submit" busy={create.busy}>
              {texts.form.create}
            </Button>
          </div>
        </form>
        <section class="bench-preview">
          <h2>{texts.preview.title}</h2>
          <p class="soft">{texts.preview.lead}</p>
          <Preview step={firstStepOf(text)} input={input} />
        </section>
      </div>
    </>
  );
}
