/** Times, durations and numbers as people read them. */

const LOCALE = "en";

const shortTimeForm = {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
} as const;
const shortTime = new Intl.DateTimeFormat(LOCALE, shortTimeForm);

const counts = new Intl.NumberFormat(LOCALE);
const shortCounts = new Intl.NumberFormat(LOCALE, {
  notation: "compact",
  maximumSignificantDigits: 3,
});

/** A time of the API in the zone of the viewer, such as `Nov 28, 2026, 16:38:23`. */
export function localTime(text: string): string {
  return shortTime.format(new Date(text));
}

/** The same time as UTC, such as `2026-11-28 15:38:23 UTC`. */
export function utcTime(text: string): string {
  return new Date(text).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}

/** The same time by the clocks of a place, such as `Nov 28, 2026, 16:38:23 Europe/Berlin`. */
export function timeIn(text: string, zone: string): string {
  try {
    const form = new Intl.DateTimeFormat(LOCALE, { ...shortTimeForm, timeZone: zone });
    return `${form.format(new Date(text))} ${zone}`;
  } catch {
    return utcTime(text); // the browser does not know the place
  }
}

/** Seconds as the two largest units, such as `2 min 5 s`, `350 ms`, `3 d 4 h`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const sign = seconds < 0 ? "−" : "";
  const length = Math.abs(seconds);
  if (length === 0) return "0 s";
  if (length < 1) return `${sign}${Math.max(1, Math.round(length * 1000))} ms`;
  if (length < 10) return `${sign}${Math.round(length * 10) / 10} s`;
  let rest = Math.round(length);
  const parts: string[] = [];
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]] as const) {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    if (whole > 0) parts.push(`${whole} ${unit}`);
    if (parts.length > 0 && (parts.length === 2 || whole === 0)) break;
  }
  return sign + parts.join(" ");
}

/** Seconds since a time of the API. */
export function secondsSince(text: string, now = Date.now()): number {
  return (now - new Date(text).getTime()) / 1000;
}

/** A count with all digits, such as `1,234,567`. */
export function count(value: number | bigint): string {
  return counts.format(value);
}

/** A count for a narrow place, such as `1.23M`. */
export function shortCount(value: number): string {
  return shortCounts.format(value);
}

/** Such as `12.5/s`, and per minute or hour where that is easier to read. */
export function rate(perSecond: number): string {
  if (perSecond === 0) return "0/s";
  if (perSecond >= 1) return `${shortCounts.format(perSecond)}/s`;
  if (perSecond * 60 >= 1) return `${shortCounts.format(perSecond * 60)}/min`;
  return `${shortCounts.format(perSecond * 3600)}/h`;
}

/** A share from 0 to 1 as `12.5 %`. */
export function percent(share: number): string {
  return `${shortCounts.format(share * 100)} %`;
}

/** Such as `3.4 MiB`. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 ? size : shortCounts.format(size)} ${units[unit]}`;
}

/** The beginning of an id, enough to tell it from its neighbours; ids begin with their time. */
export function shortId(id: string): string {
  return id.length > 13 ? `…${id.slice(-8)}` : id;
}
