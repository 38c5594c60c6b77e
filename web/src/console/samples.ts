/** Figures over time, kept while the page is open: the API tells the present ones alone. */

const SAMPLES_MOST = 90;
const SERIES_MOST = 200;

export interface Sample {
  /** Milliseconds since 1970. */
  at: number;
  value: number;
}

const series = new Map<string, Sample[]>();

export function samplesOf(name: string): readonly Sample[] {
  return series.get(name) ?? [];
}

/** Adds a sample behind those that are there; an older one is dropped. */
export function addSample(name: string, at: number, value: number): void {
  let samples = series.get(name);
  if (samples === undefined) {
    if (series.size >= SERIES_MOST) series.delete(series.keys().next().value as string);
    samples = [];
    series.set(name, samples);
  }
  const last = samples[samples.length - 1];
  if (last !== undefined && at <= last.at) return;
  samples.push({ at, value });
  if (samples.length > SAMPLES_MOST) samples.shift();
}

/** Rates between samples of a count that grows; a count that began anew makes a rate of 0. */
export function ratesOf(samples: readonly Sample[]): Sample[] {
  return samples.slice(1).map(({ at, value }, place) => {
    const before = samples[place] as Sample;
    const seconds = (at - before.at) / 1000;
    return { at, value: seconds > 0 ? Math.max(0, value - before.value) / seconds : 0 };
  });
}
