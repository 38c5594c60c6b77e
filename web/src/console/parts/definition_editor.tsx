import { HoldfastError, type DefinitionDifference } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { useAction } from "../../common/load.js";
import { Button, Dialog, Field, Notice } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { texts as sharedTexts } from "../../texts/common.js";
import { jsonProblem, prettyJson } from "../../common/json_text.js";
import { differenceOf, withContext } from "../line_difference.js";

/** The changed lines of a text, each with its sign. */
function Difference(props: { before: string; after: string }): VNode {
  const lines = withContext(differenceOf(props.before, props.after));
  const signs = { same: " ", removed: "−", added: "+" };
  return (
    <pre class="difference" tabIndex={0} role="region" aria-label={texts.editor.difference}>
      {lines.map((line, place) =>
        line === null ? (
          <span key={place} class="difference-gap">
            {"⋯\n"}
          </span>
        ) : (
          <span key={place} class={`difference-${line.kind}`}>
            {`${signs[line.kind]} ${line.text}\n`}
          </span>
        ),
      )}
    </pre>
  );
}

function valueText(value: unknown): string {
  return value === undefined
    ? "–"
    : JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one));
}

/** The differences as the node has found them. */
function Found(props: { differences: readonly DefinitionDifference[] }): VNode {
  return (
    <ul class="plain-list">
      {props.differences.map(({ place, before, after }) => (
        <li key={place}>
          <code>{place}</code>: <del class="mono">{valueText(before)}</del>{" "}
          <ins class="mono">{valueText(after)}</ins>
        </li>
      ))}
    </ul>
  );
}

/** The problems that the node names, each with its place. */
function Problems(props: { error: unknown }): VNode | null {
  const { error } = props;
  if (!(error instanceof HoldfastError) || error.errors.length === 0) {
    return <Notice error={error} />;
  }
  return (
    <div class="notice" role="alert">
      <p>{texts.editor.refused}</p>
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

/**
 * Changes a JSON definition: the text is edited, its difference is shown, and only then it is
 * saved. `check` asks the node before that, where it has a way to check without a change.
 */
export function DefinitionEditor(props: {
  title: string;
  /** The definition as it is; empty for a new one. */
  before: string;
  /** The text to begin with; that of `before` when left out. */
  draft?: string;
  check?: (text: string) => Promise<readonly DefinitionDifference[]>;
  save: (text: string) => Promise<void>;
  onClose: () => void;
}): VNode {
  const before = prettyJson(props.before);
  const [text, setText] = useState(prettyJson(props.draft ?? props.before));
  const [isReview, setReview] = useState(false);
  const [found, setFound] = useState<readonly DefinitionDifference[] | undefined>(undefined);
  // A refusal is about the text that was sent, and leaves when that is changed.
  const [refused, setRefused] = useState<{ text: string; error: unknown } | undefined>(undefined);
  const noted = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      setRefused({ text, error });
      throw error;
    }
  };
  const review = useAction(() =>
    noted(async () => {
      setFound(await props.check?.(text));
      setReview(true);
    }),
  );
  const save = useAction(() =>
    noted(async () => {
      await props.save(text);
      props.onClose();
    }),
  );
  const refusal = refused?.text === text ? refused.error : undefined;
  const problem = jsonProblem(text);
  const isSame = prettyJson(text) === before;
  return (
    <Dialog title={props.title} wide onClose={props.onClose}>
      {isReview ? (
        <>
          <Difference before={before} after={prettyJson(text)} />
          {found !== undefined && found.length > 0 && (
            <details>
              <summary>{texts.editor.checked(found.length)}</summary>
              <Found differences={found} />
            </details>
          )}
          <Problems error={refusal} />
          <div class="dialog-actions">
            <Button onClick={() => setReview(false)}>{texts.editor.back}</Button>
            <Button kind="main" busy={save.busy} onClick={() => void save.run()}>
              {texts.editor.save}
            </Button>
          </div>
        </>
      ) : (
        <>
          <Field
            label={texts.editor.label}
            hint={texts.editor.hint}
            problem={problem === undefined ? undefined : texts.editor.noJson(problem)}
          >
            {(control) => (
              <textarea
                {...control}
                class="editor"
                rows={18}
                spellcheck={false}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            )}
          </Field>
          <Problems error={refusal} />
          <div class="dialog-actions">
            {isSame && <span class="soft">{texts.editor.unchanged}</span>}
            <Button onClick={props.onClose}>{sharedTexts.cancel}</Button>
            <Button
              kind="main"
              disabled={problem !== undefined || isSame}
              busy={review.busy}
              onClick={() => void review.run()}
            >
              {texts.editor.review}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
