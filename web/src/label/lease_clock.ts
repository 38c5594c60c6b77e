/**
 * The lease on a unit, by a monotonic clock in seconds. The wall clock of the person's computer is
 * never asked.
 */

export interface Lease {
  /** The time at which it was granted or extended. */
  since: number;
  /** Its length since then. */
  seconds: number;
  /** It has lived as long as it may. */
  isFinal: boolean;
}

/** The share of a lease after which it is extended. */
const EXTEND_AFTER = 1 / 3;

export function leaseFrom(seconds: number, now: number): Lease {
  return { since: now, seconds, isFinal: false };
}

export function secondsLeft(lease: Lease, now: number): number {
  return Math.max(0, lease.since + lease.seconds - now);
}

export function isOver(lease: Lease, now: number): boolean {
  return secondsLeft(lease, now) === 0;
}

/** Whether it is to be extended: a part of it is gone, and the person has done something in it. */
export function isDue(lease: Lease, now: number, activeAt: number): boolean {
  return (
    !lease.isFinal &&
    !isOver(lease, now) &&
    activeAt >= lease.since &&
    now - lease.since >= lease.seconds * EXTEND_AFTER
  );
}

/** The share that is left, from 0 to 1. */
export function shareLeft(lease: Lease, now: number): number {
  return lease.seconds > 0 ? secondsLeft(lease, now) / lease.seconds : 0;
}

/** Such as `14:05`, and `1:02:30` for an hour and more. */
export function clockText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}
