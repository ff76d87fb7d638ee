import { utf8Length } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import { type Outcome, type Shown, shownOf } from "../contract/outcome.ts";
import { roughTokens } from "./estimate-tokens.ts";
import { cutOutcomes } from "./shape-outcomes.ts";
import { getOrMake } from "../kit/get-or-make.ts";

interface Rewriting {
  /** Writes the answer with these outcomes instead. */
  readonly write: (outcomes: readonly Outcome[]) => string;
  /** Bytes that it may take. */
  readonly limit?: number;
}

/**
 * Fit a batch's answer into what one key may keep, by cutting the data of its results as `max_tokens` would: every
 * result stays, and what was cut says so.
 *
 * @param json the answer as it is
 */
export function fitAnswer(
  json: string,
  outcomes: readonly Outcome[],
  { write, limit = LIMITS.idempotencyAnswerBytes }: Rewriting,
): string {
  if (isWithin(json, limit)) return json;
  const cut = cutTo(json, outcomes, { write, limit });
  return isWithin(cut.json, limit) ? cut.json : write(cut.outcomes.map(withoutHints));
}

/** Fit one action's result into what its key may keep. Nothing may refer to what was cut. */
export function fitOutcome<T extends Outcome>(
  outcome: T,
  mostBytes: number = LIMITS.idempotencyResultBytes,
): T {
  if (outcome.status !== "success") return fitPartial(outcome, mostBytes);
  const texts = [outcome.json, ...(outcome.shown === undefined ? [] : [outcome.shown.json])];
  const limit = mostBytes / texts.length;
  if (texts.every((json) => isWithin(json, limit))) return outcome;

  const whole = cutText(outcome.data, outcome.json, limit);
  const shown = outcome.shown && cutText(outcome.shown.data, outcome.shown.json, limit);
  const { truncated } = (shown ?? whole).meta;
  return {
    ...outcome,
    ...textOf(whole),
    ...(shown !== undefined && { shown: textOf(shown) }),
    meta: { ...outcome.meta, ...(truncated !== undefined && { truncated, isCut: true }) },
  };
}

function fitPartial<T extends Outcome>(outcome: T, limit: number): T {
  const partial = shownOf(outcome);
  if (partial === undefined || isWithin(partial.json, limit)) return outcome;
  const cut = cutText(partial.data, partial.json, limit);
  return { ...outcome, partial: textOf(cut), meta: { ...outcome.meta, ...cut.meta } };
}

type Success = Extract<Outcome, { readonly status: "success" }>;

function cutText(data: unknown, json: string, limit: number): Success {
  const whole: Success = { status: "success", data, json, meta: {} };
  const write: Rewriting["write"] = ([cut]) => textOf(cut as Success).json;
  return cutTo(json, [whole], { write, limit }).outcomes[0] as Success;
}

/** Cut outcomes until they are within `limit` bytes as `write` writes them, or to nothing. */
function cutTo(
  json: string,
  outcomes: readonly Outcome[],
  { write, limit }: Required<Rewriting>,
): { readonly outcomes: readonly Outcome[]; readonly json: string } {
  const tokensOf = rememberTokens();
  const weight = outcomes.reduce((sum, outcome) => sum + weightOf(outcome, tokensOf), 0);
  const bytes = utf8Length(json);
  // Tokens and bytes are not proportional, so it may take more than one cut.
  for (let part = 0.9; ; part *= 0.6) {
    const budget = part > 0.01 ? Math.floor(weight * part * (limit / bytes)) : 0;
    const cut = cutOutcomes(outcomes, budget, tokensOf);
    const written = write(cut);
    if (budget === 0 || isWithin(written, limit)) return { outcomes: cut, json: written };
  }
}

function textOf({ data, json, shown }: Success): Shown {
  return shown ?? { data, json };
}

function weightOf(outcome: Outcome, tokensOf: (json: string) => number): number {
  const shown = shownOf(outcome);
  return shown === undefined ? 0 : tokensOf(shown.json);
}

/** Estimate each text once, however many cuts of it are tried. */
function rememberTokens(): (json: string) => number {
  const known = new Map<string, number>();
  return (json) => getOrMake(known, json, () => roughTokens(json));
}

/** The last resort, for answers whose failures alone are too much: what remains is bounded by the number of actions. */
function withoutHints(outcome: Outcome): Outcome {
  if (!("error" in outcome)) return { ...outcome, meta: {} };
  const { code, retryable } = outcome.error;
  return { ...outcome, error: { code, retryable }, meta: {} };
}

/** A UTF-16 unit is one to three bytes: most texts need no encoding to be measured. */
function isWithin(text: string, limit: number): boolean {
  return text.length * 3 <= limit || (text.length <= limit && utf8Length(text) <= limit);
}
