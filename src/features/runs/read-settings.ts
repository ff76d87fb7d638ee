import * as LIMITS from "./limits.ts";

type Env = Readonly<Record<string, unknown>>;

/** The variable that says how much is kept of what ran. */
export const RUNS_KEPT = "VOLLEY_RUNS";
/** The variable that says for how many days. */
export const RUN_DAYS = "VOLLEY_RUNS_DAYS";

const KEPT = ["content", "outline", "off"] as const;
export type Kept = (typeof KEPT)[number];

/** Read how much is kept; null where the variable says something else. */
export function readKept(env: Env): Kept | null {
  const value = env[RUNS_KEPT] ?? "";
  return value === "" ? "content" : (KEPT.find((kept) => kept === value) ?? null);
}

/** Read for how many days runs are kept; as many as usual where the variable says nothing that is a number of days. */
export function readRunDays(env: Env): number {
  return parseRunDays(env) ?? LIMITS.runDays;
}

/** Parse the number of days; null if it is not one from 1 to 90. */
export function parseRunDays(env: Env): number | null {
  const value = env[RUN_DAYS] ?? "";
  if (value === "") return LIMITS.runDays;
  const days = typeof value === "string" && /^\d{1,3}$/.test(value) ? Number(value) : 0;
  return days >= 1 && days <= LIMITS.maxRunDays ? days : null;
}
