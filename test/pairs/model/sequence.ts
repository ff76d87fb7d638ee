import fc from "fast-check";

import { type Listing, LISTINGS, TREATMENTS, type Treatment } from "./store.ts";
import { ADDED, TOOLS } from "./tools.ts";

const NAMES: readonly string[] = [...TOOLS.map(({ name }) => name), ADDED];

/** Who asks: keys of three tenants, some for one person only. */
export const CALLERS = {
  admin: { tenant: "t0", flags: ["approve", "manage_tools", "manage_keys", "manage_endpoints"] },
  plain: { tenant: "t0", flags: [] },
  ada: { tenant: "t0", subject: "s1", flags: ["approve", "manage_connections"] },
  bob: { tenant: "t0", subject: "s2", flags: ["manage_connections"] },
  other: { tenant: "t1", flags: ["approve", "manage_tools", "manage_keys", "manage_endpoints"] },
  eve: { tenant: "t1", subject: "s1", flags: ["approve", "manage_connections"] },
  small: { tenant: "t2", flags: ["approve"], quota: { limit: 3, window_s: 60 } },
} as const;
/** The quota of all others: it fills up so slowly that what is left says how often it was drawn from. */
export const QUOTA = { limit: 200, window_s: 86_400 } as const;
export type CallerName = keyof typeof CALLERS;

export const DOORS = [
  "batch",
  "call",
  "flow",
  "hook",
  "agent",
  "turn",
  "ordered",
  "mcp",
  "background",
] as const;

interface ActionSketch {
  readonly tool: string;
  /** It needs the action before it. */
  readonly follows: boolean;
  /** It is called for each of a list that a read gives, which does so once. */
  readonly over: Listing | null;
}

/** One thing that somebody does. Its object is picked among those that are there, so that a shorter sequence still means something. */
export type Step = { readonly by: CallerName; readonly pick: number } & (
  | {
      readonly does: "run";
      readonly door: (typeof DOORS)[number];
      readonly actions: readonly ActionSketch[];
      readonly onError: "partial-success" | "fail-fast" | "undo";
      /** It, or each of its actions, has an idempotency key. */
      readonly keys: "none" | "one" | "each";
    }
  | { readonly does: "repeat" }
  | { readonly does: "decide"; readonly how: "approve" | "reject" | "edit" | "remember" }
  | { readonly does: "rerun"; readonly only: boolean }
  | {
      readonly does:
        | "undo"
        | "cancel"
        | "redrive"
        | "look"
        | "open"
        | "make key"
        | "decide again"
        | "replace"
        | "revoke key"
        | "connect"
        | "keep endpoint"
        | "delete endpoint"
        | "publish"
        | "delete tenant";
    }
  | { readonly does: "pass"; readonly ms: number }
  | { readonly does: "kill" | "rest" }
);

/** A step, how the service treats what comes of it, and what happens meanwhile. */
export interface Move {
  readonly step: Step;
  readonly treatments: readonly Treatment[];
  /** The next step begins at once; or the process is killed so many milliseconds later. */
  readonly meanwhile: "nothing" | "next" | { readonly killedAfterMs: number };
}

const by = fc.oneof(
  { weight: 1, arbitrary: fc.constant("admin" as const) },
  { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(CALLERS) as CallerName[])) },
);
const pick = fc.nat(1_000);
const action = fc.record({
  tool: fc.constantFrom(...NAMES),
  follows: fc.boolean(),
  over: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...LISTINGS) },
  ),
});

const run = fc.record({
  does: fc.constant("run" as const),
  by,
  pick,
  door: fc.oneof({ weight: 3, arbitrary: fc.constant("batch" as const) }, fc.constantFrom(...DOORS)),
  actions: fc.array(action, { minLength: 1, maxLength: 3 }),
  onError: fc.constantFrom("partial-success" as const, "fail-fast" as const, "undo" as const),
  keys: fc.constantFrom("none" as const, "one" as const, "each" as const),
});
const of = (
  does:
    | "undo"
    | "cancel"
    | "redrive"
    | "look"
    | "open"
    | "repeat"
    | "make key"
    | "decide again"
    | "replace"
    | "revoke key"
    | "connect"
    | "keep endpoint"
    | "delete endpoint"
    | "publish"
    | "delete tenant",
) => fc.record({ does: fc.constant(does), by, pick });

const pass = fc.record({
  does: fc.constant("pass" as const),
  by,
  pick,
  ms: fc.constantFrom(100, 3_000, 20_000, 90_000, 1_200_000),
});
const decide = fc.record({
  does: fc.constant("decide" as const),
  by,
  pick,
  how: fc.constantFrom(
    "approve" as const,
    "approve" as const,
    "reject" as const,
    "edit" as const,
    "remember" as const,
  ),
});
const rerun = fc.record({ does: fc.constant("rerun" as const), by, pick, only: fc.boolean() });
const fail = fc.record({ does: fc.constantFrom("kill" as const, "rest" as const), by, pick });

/** The parts that a theme may leave out. */
const DOES = [
  "repeat",
  "decide",
  "decide again",
  "rerun",
  "undo",
  "cancel",
  "redrive",
  "look",
  "open",
  "make key",
  "replace",
  "revoke key",
  "connect",
  "keep endpoint",
  "publish",
  "delete tenant",
  "pass",
  "kill",
  "rest",
] as const;

const step = fc.oneof(
  { weight: 14, arbitrary: run },
  { weight: 8, arbitrary: decide },
  { weight: 2, arbitrary: of("decide again") },
  { weight: 20, arbitrary: rerun },
  { weight: 8, arbitrary: of("undo") },
  { weight: 5, arbitrary: of("repeat") },
  { weight: 2, arbitrary: of("cancel") },
  { weight: 2, arbitrary: of("redrive") },
  { weight: 3, arbitrary: of("look") },
  { weight: 3, arbitrary: of("open") },
  { weight: 2, arbitrary: of("make key") },
  { weight: 2, arbitrary: of("replace") },
  { weight: 2, arbitrary: of("revoke key") },
  { weight: 3, arbitrary: of("connect") },
  { weight: 3, arbitrary: of("keep endpoint") },
  { weight: 1, arbitrary: of("delete endpoint") },
  { weight: 4, arbitrary: of("publish") },
  { weight: 2, arbitrary: of("delete tenant") },
  { weight: 4, arbitrary: pass },
  { weight: 3, arbitrary: fail },
) as fc.Arbitrary<Step>;

const treatment = fc.oneof(
  { weight: 1, arbitrary: fc.constant("done" as const) },
  { weight: 2, arbitrary: fc.constantFrom(...TREATMENTS) },
);

const moveOf = <Does extends Step>(arbitrary: fc.Arbitrary<Does>) =>
  fc.record({
    step: arbitrary,
    treatments: fc.array(treatment, { maxLength: 4 }),
    meanwhile: fc.oneof(
      { weight: 6, arbitrary: fc.constant("nothing" as const) },
      { weight: 2, arbitrary: fc.constant("next" as const) },
      { weight: 1, arbitrary: fc.record({ killedAfterMs: fc.constantFrom(0, 1, 5, 50, 1_000, 5_000) }) },
    ),
  });

const more = fc.oneof(
  { weight: 6, arbitrary: rerun },
  { weight: 2, arbitrary: decide },
  { weight: 2, arbitrary: of("undo") },
  { weight: 4, arbitrary: of("repeat") },
  { weight: 2, arbitrary: of("decide again") },
  { weight: 2, arbitrary: of("connect") },
  { weight: 1, arbitrary: of("delete tenant") },
);

/** A run, and what becomes of it: most that goes wrong takes more than two steps with one thing. */
const chain = fc
  .tuple(moveOf(run), fc.array(moveOf(more as fc.Arbitrary<Step>), { minLength: 2, maxLength: 4 }))
  .map(([first, all]): Move[] => [
    first,
    ...all.map((move) =>
      move.step.does === "decide" ? move : { ...move, step: { ...move.step, by: first.step.by } },
    ),
  ]);

/** An endpoint, and what is published while it is kept and changed: nothing else has to do with it. */
const told = fc
  .array(
    moveOf(
      fc.oneof(
        { weight: 4, arbitrary: of("publish") },
        { weight: 2, arbitrary: of("keep endpoint") },
        { weight: 1, arbitrary: of("delete endpoint") },
        { weight: 1, arbitrary: of("delete tenant") },
        { weight: 1, arbitrary: pass },
        { weight: 1, arbitrary: fail },
      ) as fc.Arbitrary<Step>,
    ),
    { minLength: 3, maxLength: 6 },
  )
  .chain((all) =>
    moveOf(of("keep endpoint")).map((first): Move[] =>
      [first, ...all].map((move) => ({ ...move, step: { ...move.step, by: first.step.by } })),
    ),
  );

/** A conversation that breaks off after its first writes, and comes again under its key. */
const brokenOff = fc
  .record({
    first: moveOf(run),
    again: moveOf(of("repeat")),
    ends: fc.constantFrom<Treatment>("refused", "done, slowly"),
  })
  .map(({ first, again, ends }): Move[] => [
    {
      step: { ...first.step, door: "agent", keys: "one" },
      treatments: ["done", "done", ends, ends, ends],
      meanwhile: { killedAfterMs: 1_000 },
    },
    // The claim of the process that was killed is over by then.
    { ...again, step: { does: "pass", by: again.step.by, pick: 0, ms: 90_000 }, meanwhile: "nothing" },
    { ...again, step: { ...again.step, by: first.step.by, pick: 0 }, treatments: [] },
  ]);

const moves = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: moveOf(step).map((move): Move[] => [move]) },
      { weight: 4, arbitrary: chain },
      { weight: 1, arbitrary: told },
      { weight: 1, arbitrary: brokenOff },
    ),
    { minLength: 5, maxLength: 8 },
  )
  .map((all): Move[] => all.flat());

/** A sequence keeps to a theme: few callers, tools, doors and faults meet more often than many ("swarm testing", Groce et al. 2012). */
const theme = fc.record({
  by: fc.subarray(Object.keys(CALLERS) as CallerName[], { minLength: 1, maxLength: 3 }),
  tools: fc.subarray([...NAMES], { minLength: 1, maxLength: 3 }),
  doors: fc.subarray([...DOORS], { minLength: 1, maxLength: 2 }),
  treatments: fc.subarray([...TREATMENTS], { minLength: 1, maxLength: 2 }),
  without: fc.subarray([...DOES], { maxLength: DOES.length - 4 }),
});
type Theme = typeof theme extends fc.Arbitrary<infer Kept> ? Kept : never;

/** Put what a theme keeps in the place of all else. */
function keepTo({ by, tools, doors, treatments, without }: Theme, moves: readonly Move[]): Move[] {
  const kept = moves.filter(({ step: { does } }) => !(without as readonly string[]).includes(does));
  return kept.map((move) => {
    const mine = { ...move.step, by: among(by, Object.keys(CALLERS), move.step.by) };
    const step =
      mine.does === "run"
        ? {
            ...mine,
            door: among(doors, DOORS, mine.door),
            actions: mine.actions.map((one) => ({
              ...one,
              tool: among(tools, NAMES, one.tool),
            })),
          }
        : mine;
    return { ...move, step, treatments: move.treatments.map((one) => among(treatments, TREATMENTS, one)) };
  });
}

function among<Name extends string>(kept: readonly Name[], all: readonly string[], name: Name): Name {
  return kept[all.indexOf(name) % kept.length]!;
}

const manager = fc.constantFrom("admin" as const, "other" as const);
const quietly = (step: Step): Move => ({ step, treatments: [], meanwhile: "nothing" });

/** A key is used shortly before its end, and shortly after. */
const late = fc
  .tuple(manager, fc.nat(2), run, run)
  .map(([by, whose, before, after]): Move[] => [
    quietly({ does: "make key", by, pick: whose * 2 }),
    quietly({ does: "pass", by, pick: 0, ms: 45_000 }),
    quietly({ ...before, by, pick: 0 }),
    quietly({ does: "pass", by, pick: 0, ms: 8_000 }),
    quietly({ ...after, by, pick: 0 }),
  ]);

/** A yes is remembered, and the tool is called for something else. */
const remembered = fc
  .tuple(fc.constantFrom("admin" as const, "ada" as const), run)
  .map(([by, one]): Move[] => {
    const asking: Step = { ...one, by, actions: [{ tool: "put_asked", follows: false, over: null }] };
    return [quietly(asking), quietly({ does: "decide", by, pick: 0, how: "remember" }), quietly(asking)];
  });

/** Two reruns of writes that a service refused begin at once. */
const twice = fc
  .tuple(manager, run, rerun)
  .map(([by, one, again]): Move[] => [
    { ...quietly({ ...one, by }), treatments: ["refused", "refused", "refused"] },
    { ...quietly({ ...again, by, pick: 1 }), meanwhile: "next" },
    quietly({ ...again, by, pick: 1 }),
  ]);

/** Moves that random steps seldom make; a theme leaves them as they are. */
const seldom = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Move[]>([]) },
  { weight: 1, arbitrary: late },
  { weight: 1, arbitrary: remembered },
  { weight: 1, arbitrary: twice },
);

/** Random sequences of what callers do, of their tenants' services, and of kills: some of all kinds, most by a theme. */
export const sequences: fc.Arbitrary<Move[]> = fc
  .tuple(
    seldom,
    fc.oneof(
      { weight: 1, arbitrary: moves },
      { weight: 3, arbitrary: fc.tuple(theme, moves).map(([kept, all]) => keepTo(kept, all)) },
    ),
  )
  .map((all) => all.flat());
