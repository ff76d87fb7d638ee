import type { WirePlan, Written } from "../../../console/kit/wire.ts";
import type { rememberedSchema } from "../remembered.ts";
import type { confirmationSchema, listedConfirmationSchema } from "../wire-confirmation.ts";

/** The API's answer, typed by the schema that describes it: a change there is an error of types here. */
export type WireConfirmation = Written<typeof confirmationSchema>;

export type WireRemembered = Written<typeof rememberedSchema>;

export type WireParked = WireConfirmation["actions"][number];

/** A confirmation as `GET /v1/confirmations` lists it. */
export type ListedConfirmation = Written<typeof listedConfirmationSchema>;

/** Name everybody who decided, or has said yes so far. */
export function sayDeciders({ decided_by: by = [] }: Pick<ListedConfirmation, "decided_by">): string {
  const byLink = (via: string) => (via === "link" || via === "approver" ? " (by a link)" : "");
  return [by]
    .flat()
    .map(({ name, via }) => `${name}${byLink(via)}`)
    .join(", ");
}

/** The API shows what is asked in as many characters. */
const MOST_SHOWN = 300;

/** Say with which arguments a call is not asked about again, in a line. */
export function sayArgs({ any_args: isAny, args }: Pick<WireRemembered, "any_args" | "args">): string {
  if (isAny) return "with any arguments";
  const text = args === undefined ? "with one call’s long arguments" : JSON.stringify(args);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** Say how many people have said yes of those that are wanted, and whether to what was asked; nothing where one decides. */
export function sayYeses({ needs, approved, edited }: Partial<ListedConfirmation>): string | null {
  if (needs === undefined || approved === undefined) return null;
  return `${approved} of ${needs} people approved${edited ? ", to other arguments than were asked for" : ""}`;
}

const WORDS: Readonly<Record<WireConfirmation["status"], string>> = {
  pending: "waiting",
  running: "running",
  done: "approved",
  rejected: "rejected",
  expired: "expired",
};

/** A confirmation's status as a person says it. One whose time is over waits no more, whatever was read before. */
export function sayStatus(
  { status, expires_at: until }: Pick<ListedConfirmation, "status" | "expires_at">,
  nowMs: number,
): string {
  return status === "pending" && Date.parse(until) <= nowMs ? WORDS.expired : WORDS[status];
}

/** Say what asked: a key, or what started the run of a flow. */
export function sayAsker({ key, flow, trigger }: WireConfirmation["requested_by"]): string {
  const of = flow === undefined ? "a flow" : flow;
  if (key !== undefined) return flow === undefined ? key : `${key}, by the flow ${flow}`;
  return trigger === undefined ? "a run" : `${trigger === "cron" ? "the schedule" : "the webhook"} of ${of}`;
}

/** Say how long is left: minutes and seconds as a clock has them. */
export function sayLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds >= 7_200) return `${Math.floor(seconds / 3_600)} hours`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The parked actions as a plan, so that what waits for what can be drawn. */
export function toPlan(actions: readonly WireParked[]): WirePlan {
  const depth = new Map<string, number>();
  const byId = new Map(actions.map((action) => [action.id, action]));
  const depthOf = (id: string, above: readonly string[]): number => {
    const known = depth.get(id);
    if (known !== undefined) return known;
    const waits = (byId.get(id)?.waits_for ?? []).filter((one) => byId.has(one) && !above.includes(one));
    const own = Math.max(0, ...waits.map((one) => depthOf(one, [...above, id]) + 1));
    depth.set(id, own);
    return own;
  };
  const waves: string[][] = [];
  for (const { id } of actions) {
    const at = depthOf(id, [id]);
    while (waves.length <= at) waves.push([]);
    waves[at]!.push(id);
  }
  return {
    dry_run: true,
    plan: {
      waves,
      edges: actions.flatMap(({ id, waits_for: waits }) =>
        waits.map((from) => ({ from, to: id, reason: "depends_on" })),
      ),
      caps: {},
      confirmations: actions.flatMap(({ id, gated }) => (gated ? [id] : [])),
      estimated_tokens: 0,
      estimated_speedup: 1,
    },
    errors: [],
  };
}
