/** The present place within a page, and the way to another. */

import { placeOf, type Place } from "./place.js";
import { Signal, useSignal } from "./signal.js";

export { addressOf, placeOf, type Place } from "./place.js";

const place = new Signal<Place>(placeOf(location.hash));
addEventListener("hashchange", () => place.set(placeOf(location.hash)));

export function usePlace(): Place {
  return useSignal(place);
}

/** Goes to a place; `replace` leaves no entry in the history, as for a filter while one types. */
export function go(address: string, { replace = false } = {}): void {
  if (replace) {
    history.replaceState(null, "", address);
    place.set(placeOf(address));
  } else {
    location.hash = address;
  }
}
