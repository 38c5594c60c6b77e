/** Light or dark: as the system says, or as the person chose. */

import { Signal } from "./signal.js";

export type Theme = "system" | "light" | "dark";

const KEY = "holdfast.theme";

function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    return text === "light" || text === "dark" ? text : "system";
  } catch {
    return "system"; // storage may be forbidden
  }
}

export const theme = new Signal<Theme>(stored());

function show(now: Theme): void {
  if (now === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = now;
}

show(theme.value);

export function setTheme(now: Theme): void {
  theme.set(now);
  show(now);
  try {
    localStorage.setItem(KEY, now);
  } catch {
    // The choice holds until the page is left.
  }
}
