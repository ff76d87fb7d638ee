import { parseInstant } from "../../../core/kit/rfc3339.ts";
import type { TimeUnit } from "./hook-form.ts";

/** Digits only: what is compared with the clock is then the very text that is signed. */
const DIGITS: Readonly<Record<Exclude<TimeUnit, "rfc3339">, RegExp>> = { s: /^\d{1,12}$/, ms: /^\d{1,15}$/ };

/** Whether a sender's time is near enough to now. */
export function isTimely(
  time: string,
  {
    unit,
    nowMs,
    toleranceMs,
  }: { readonly unit: TimeUnit; readonly nowMs: number; readonly toleranceMs: number },
): boolean {
  const at = toMs(time, unit);
  return at !== null && Math.abs(nowMs - at) <= toleranceMs;
}

function toMs(time: string, unit: TimeUnit): number | null {
  if (unit === "rfc3339") return parseInstant(time);
  if (!DIGITS[unit].test(time)) return null;
  return unit === "s" ? Number(time) * 1_000 : Number(time);
}
