import type { Strategy } from "./agent-options.ts";
import { canonicalKey } from "../../core/kit/json/canonical-json.ts";
import type { ModelCall } from "./dialect/dialect.ts";

/** Why a loop ended. */
export type Stopped = "answer" | "max_rounds" | "confirmation" | "client_tools" | "deadline" | "repetition";

/** The next move of the loop. */
export type Move =
  /** Ask the model how it will go on, without tools. */
  | { readonly kind: "plan" }
  /** Ask it with its tools. */
  | { readonly kind: "ask" }
  /** Ask it for the last time, with tools switched off and told why. */
  | { readonly kind: "close"; readonly why: "max_rounds" | "repetition" }
  /** Run the calls of the turn that belong to us. */
  | { readonly kind: "run" }
  | { readonly kind: "end"; readonly stopped: Stopped };

/** The last event that the loop is told. */
export type News =
  | { readonly kind: "planned" }
  /** The model has answered: how many calls of ours it made, whether somebody else has to answer some, and whether it has only paused. */
  | {
      readonly kind: "answered";
      readonly ours: number;
      readonly callsTheirs: boolean;
      readonly paused?: boolean;
    }
  /** A round has run. */
  | {
      readonly kind: "ran";
      /** Each call of it, so that the same call with the same arguments is the same text. */
      readonly calls: ReadonlySet<string>;
      /** Something of it needs a person's yes. */
      readonly waits: boolean;
      /** The request's time was over before it ended. */
      readonly isLate: boolean;
    };

export interface LoopState {
  readonly strategy: Strategy;
  readonly maxRounds: number;
  /** Rounds that have run. */
  readonly rounds: number;
  /** For each call of the last round how many rounds running it was made. */
  readonly running: ReadonlyMap<string, number>;
  /** The turn under way calls the caller's own tools too. */
  readonly callsTheirs: boolean;
  /** Why the model was asked for the last time; null before. */
  readonly closing: "max_rounds" | "repetition" | null;
}

/** The same call in so many rounds running is one too many. */
const REPETITIONS = 3;

export function beginLoop(strategy: Strategy, maxRounds: number): readonly [LoopState, Move] {
  const state: LoopState = {
    strategy,
    maxRounds,
    rounds: 0,
    running: new Map(),
    callsTheirs: false,
    closing: null,
  };
  return [state, askNext(state)];
}

/**
 * Decide what a loop does next.
 *
 * It ends: every round counts up to `maxRounds`, after which the model is asked once more and nothing runs whatever it says.
 * So there are at most `maxRounds + 1` answers of the model, plans not counted.
 */
export function nextMove(state: LoopState, news: News): readonly [LoopState, Move] {
  switch (news.kind) {
    case "planned":
      return [state, { kind: "ask" }];
    case "answered": {
      const { ours, callsTheirs, paused = false } = news;
      if (state.closing !== null) return [state, { kind: "end", stopped: state.closing }];
      if (ours > 0) return [{ ...state, callsTheirs }, { kind: "run" }];
      if (paused && !callsTheirs) return afterPause(state);
      return [state, { kind: "end", stopped: callsTheirs ? "client_tools" : "answer" }];
    }
    case "ran":
      return afterRound(state, news);
  }
}

/** A pause is a round in which nothing of ours runs. Nothing is said before the turn goes on, so no plan is asked for. */
function afterPause(state: LoopState): readonly [LoopState, Move] {
  const next = { ...state, rounds: state.rounds + 1 };
  return next.rounds >= next.maxRounds ? close(next, "max_rounds") : [next, { kind: "ask" }];
}

function afterRound(
  state: LoopState,
  { calls, waits, isLate }: Extract<News, { kind: "ran" }>,
): readonly [LoopState, Move] {
  const running = new Map([...calls].map((call) => [call, (state.running.get(call) ?? 0) + 1]));
  const next = { ...state, rounds: state.rounds + 1, running };
  // The caller's part of the turn cannot be answered by anybody else, whatever else there is.
  if (state.callsTheirs) return [next, { kind: "end", stopped: "client_tools" }];
  if (waits) return [next, { kind: "end", stopped: "confirmation" }];
  if (isLate) return [next, { kind: "end", stopped: "deadline" }];
  if ([...running.values()].some((count) => count >= REPETITIONS)) return close(next, "repetition");
  if (next.rounds >= state.maxRounds) return close(next, "max_rounds");
  return [next, askNext(next)];
}

function askNext({ strategy }: LoopState): Move {
  return { kind: strategy.plans ? "plan" : "ask" };
}

function close(state: LoopState, why: "max_rounds" | "repetition"): readonly [LoopState, Move] {
  return [
    { ...state, closing: why },
    { kind: "close", why },
  ];
}

/** Name what a call does. Actions count by themselves, unless what they do depends on the others. */
export function keysOf({ name, args }: ModelCall): string[] {
  if (!args.ok) return [];
  const { actions } = args.value;
  const whole = canonicalKey({ tool: name, args: args.value }) ?? JSON.stringify(args.value);
  if (!Array.isArray(actions) || MARKER.test(whole)) return [whole];
  return (actions as unknown[]).map((action) => {
    const { id: _, ...said } = (action ?? {}) as Record<string, unknown>;
    return canonicalKey(said) ?? JSON.stringify(said);
  });
}

const MARKER = /"\$(?:ref|template)"/;
