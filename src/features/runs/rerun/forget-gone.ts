import type { Gives } from "../../../feature/gives.ts";
import { type EarlierRerun, type KeptAction, type KeptRun, pick, withoutKey } from "./kept-run.ts";

type Gone = NonNullable<Awaited<ReturnType<Gives["afterRuns"]["goneOf"]>>>;

/**
 * Read what there is no more as if it had never been sent: its key, its job and its result are no more either, in the run that sent it and
 * in all before that. An action that may be gone in part, or of which an earlier run left open whether it is, is in doubt.
 */
export function forgetGone(
  kept: KeptRun,
  ran: readonly EarlierRerun[],
  gone: Gone,
): { readonly kept: KeptRun; readonly before: readonly EarlierRerun[] } {
  const endOf = ({ run = "", asker = "" }: EarlierRerun, id: string): "gone" | "unsure" | undefined =>
    gone.get(run)?.get(id) ?? gone.get(asker)?.get(id);
  const lastGone = (id: string): number =>
    ran.findLastIndex((one) => one.writes.includes(id) && endOf(one, id) !== undefined);
  const read = (action: KeptAction, at: number): KeptAction => {
    const last = lastGone(action.id);
    if (last === -1 || at > last) return action;
    const isUnsure = ran.some((one, before) => before <= last && endOf(one, action.id) === "unsure");
    // Which of its elements are gone is not known either.
    const { data: _, items: __, ...rest } = action;
    return isUnsure ? { ...rest, status: "unknown" } : unsent(withoutKey(action));
  };
  const actions = kept.actions.map((action) => {
    const last = lastGone(action.id);
    const later = ran.slice(last + 1).flatMap((one) => one.actions?.find(({ id }) => id === action.id) ?? []);
    const key = last === -1 ? undefined : later.find(({ call_key: sent }) => sent !== undefined)?.call_key;
    return { ...read(action, last), ...(key !== undefined && { call_key: key }) };
  });
  const before = ran.map((one, at) => ({
    ...one,
    actions: one.actions?.map((action) => read(action, at)) ?? null,
  }));
  return { kept: { ...kept, actions }, before };
}

function unsent(action: KeptAction): KeptAction {
  return { id: action.id, tool: action.tool, status: "skipped", ...pick(action, OF_REQUEST) };
}

const OF_REQUEST = [
  "asked",
  "args",
  "with",
  "round",
  "resolved",
  "accounts",
  "cut",
  "redacted",
  "private",
] as const;
