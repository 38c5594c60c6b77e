/** Samples of the finished units of steps, for their rates. */

import type { ListedStep } from "holdfast";

import { addSample, ratesOf, samplesOf, type Sample } from "../samples.js";

const seriesOf = (step: string): string => `step ${step} completed`;

export function keepStepSamples(steps: readonly ListedStep[], now = Date.now()): void {
  for (const { id, status, completed_units } of steps) {
    if (status === "Open" && completed_units !== undefined) {
      addSample(seriesOf(id), now, completed_units);
    }
  }
}

/** Units that were finished each second, between the looks at the step. */
export function stepRates(step: string): Sample[] {
  return ratesOf(samplesOf(seriesOf(step)));
}
