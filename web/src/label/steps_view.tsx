import type { StepOffer, StepOffers } from "holdfast";
import type { VNode } from "preact";

import { useKeys } from "../common/keys.js";
import type { Loaded } from "../common/load.js";
import { addressOf, go } from "../common/router.js";
import { LoadState } from "../common/ui/index.js";
import { texts } from "../texts/label.js";

const addressOfStep = ({ id }: StepOffer): string => addressOf(["steps", id]);

/** The steps that are offered, the most urgent first. */
export function StepsView(props: { offers: Loaded<StepOffers> }): VNode {
  const steps = props.offers.value?.steps ?? [];
  useKeys(
    Object.fromEntries(
      steps.slice(0, 9).map((step, place) => [String(place + 1), () => go(addressOfStep(step))]),
    ),
  );
  return (
    <>
      <h1>{texts.steps.title}</h1>
      <LoadState loaded={props.offers}>
        {({ complete }) => (
          <>
            <p class="soft">{steps.length === 0 ? texts.steps.none : texts.steps.lead}</p>
            <ul class="offers">
              {steps.map((step, place) => (
                <li key={step.id}>
                  <a class="offer panel" href={addressOfStep(step)}>
                    {place < 9 && <kbd aria-hidden="true">{place + 1}</kbd>}
                    <span class="offer-title">{step.title || step.key}</span>
                  </a>
                </li>
              ))}
            </ul>
            {!complete && <p class="soft">{texts.steps.incomplete}</p>}
          </>
        )}
      </LoadState>
    </>
  );
}
