/** Values outside components that components follow. */

import { useEffect, useState } from "preact/hooks";

export class Signal<T> {
  #value: T;
  readonly #followers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const follower of [...this.#followers]) follower(value);
  }

  /** Calls `follower` after each change, until the function that it returns is called. */
  follow(follower: (value: T) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }
}

/** The present value; the component renders again when it changes. */
export function useSignal<T>(signal: Signal<T>): T {
  const [value, setValue] = useState(signal.value);
  useEffect(() => {
    setValue(() => signal.value); // it may have changed since the first render
    return signal.follow((next) => setValue(() => next));
  }, [signal]);
  return value;
}
