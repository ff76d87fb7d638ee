import * as z from "zod/mini";

import {
  anyObject,
  form,
  just,
  listOf,
  object,
  oneOf,
  optional,
  text,
  texts,
  upTo,
  written,
} from "./form.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { lazySchema } from "./lazy-schema.ts";
import * as LIMITS from "./limits.ts";
import { readMarker } from "./reference.ts";

const always = oneOf("never", "always");
const sentence = form(
  (value) => typeof value === "string" && parseSentence(value) !== null,
  () => z.string().check(z.refine((value) => parseSentence(value) !== null, SENTENCE)),
);
/** The condition itself is checked by what asks people. */
const sometimes = object({ when: optional(anyObject), needs: optional(upTo(5)), says: optional(sentence) });

const contract = object({
  mode: oneOf("parallel-safe", "sequential-only", "fan-out-bounded", "dependent"),
  /** Calls that one batch has under way at once. */
  max_concurrency: optional(upTo(50)),
  /** Calls under way at once over all tenants and batches: what the upstream stands. */
  global_concurrency: optional(upTo(1_000)),
  /** Present means: a failed call may be retried (reads, and writes that declare themselves idempotent). */
  backoff: optional(object({ strategy: just("exponential"), initial_ms: upTo(60_000) })),
  depends_on: optional(
    listOf(object({ tool: written, required_fields: listOf(written), from: optional(texts) })),
  ),
  on_error: optional(oneOf("partial-success", "fail-fast")),
  rate_limit: optional(object({ limit: upTo(), window_s: upTo(86_400), scope: oneOf("tenant", "global") })),
  /** How old an answer may be, in seconds, that is given again without a call; reads only. */
  cache_ttl_s: optional(upTo(86_400)),
  /**
   * For a sync write: the read that shows whether it took effect when its answer was lost. `args` and `equals` point into the
   * write's arguments, `found` into the read's output.
   */
  verify_with: optional(
    object({
      tool: written,
      args: texts,
      found: optional(text),
      equals: optional(text),
      /** Where the read's output has what stands for the write's own. */
      result: optional(text),
    }),
  ),
  /** Whether people are asked: about every call, none, or those whose arguments fit a condition; how many, and in which words. */
  confirm: optional(
    form(
      (value) => always.fits(value) || sometimes.fits(value),
      () => z.union([always.schema(), sometimes.schema()]),
    ),
  ),
  /** How long a question about it waits. */
  confirm_ttl_s: optional(upTo(LIMITS.maxQuestionTtlMs / 1_000)),
});

/**
 * A tool's promises about being called: how parallel, in which order, how often, and the meaning of its failure.
 *
 * The same shape is what an author writes and what travels as `x-orchestration` in every JSON Schema, so that an
 * agent reads exactly what the engine obeys.
 */
export const orchestrationSchema = lazySchema("Contract", () => contract.schema().check());

/** A contract as its author writes it. */
export type Orchestration = z.infer<ReturnType<typeof orchestrationSchema>>;

/** Fields of contracts that features bring: each adds its own to this type. Core keeps their values and obeys none. */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- features fill it
export interface BroughtFields {}

/** A contract as its author writes it. */
export type DeclaredContract = Orchestration & BroughtFields;

/** Tell the fields that core obeys from those of features, which are objects. */
export function splitContract(declared: object): {
  readonly own: JsonObject;
  readonly brought: JsonObject | undefined;
} {
  const isBrought = ([name, value]: [string, unknown]): boolean =>
    !contract.names.includes(name) && isJsonObject(value);
  const fields = Object.entries(declared);
  const brought = fields.filter(isBrought);
  if (brought.length === 0) return { own: declared as JsonObject, brought: undefined };
  const own = fields.filter((field) => !isBrought(field));
  return { own: Object.fromEntries(own), brought: Object.fromEntries(brought) };
}

/** The condition under which a person is asked about a call; undefined where arguments decide nothing. */
export function conditionOf({ confirm }: Pick<Orchestration, "confirm">): JsonObject | undefined {
  return typeof confirm === "object" ? confirm.when : undefined;
}

/** Whether a value is a contract. Every tool is asked at every start; the schema explains a value that is refused here. */
export function isOrchestration(value: unknown): value is Orchestration {
  return contract.fits(value);
}

/** A sentence about a call: its text, and in between the arguments that it shows, each by the keys that lead to it. */
export type Sentence = readonly (string | readonly string[])[];

/** Parse `Refund {{args#/amount}} to {{args#/customer}}`; null where it is no such sentence. */
export function parseSentence(written: string): Sentence | null {
  const marker = readMarker({ $template: written });
  if (marker?.kind !== "template" || marker.open !== undefined) return null;
  const parts: (string | readonly string[])[] = [];
  for (const part of marker.parts) {
    const piece = typeof part === "string" ? part : part.part ? part.part.literal : part.tokens;
    if (piece === null || (typeof part !== "string" && part.id !== "args")) return null;
    parts.push(piece);
  }
  const shown = parts.filter((part) => typeof part !== "string").length;
  const isLong = written.length > LIMITS.sentenceCharacters || shown > LIMITS.sentenceArguments;
  return isLong || written.trim() === "" ? null : parts;
}

const SENTENCE = `a sentence of at most ${LIMITS.sentenceCharacters} characters that shows at most ${LIMITS.sentenceArguments} arguments, e.g. "Refund {{args#/amount}} to {{args#/customer}}"`;

/** Find the name of an argument that a sentence shows, but its tool does not take. */
export function findStranger(sentence: Sentence, known: readonly string[]): string | undefined {
  const names = sentence.flatMap((part) => (typeof part === "string" ? [] : part.slice(0, 1)));
  return names.find((name) => !known.includes(name));
}
