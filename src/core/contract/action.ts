import * as z from "zod/mini";

import { visibleText } from "../kit/visible-text.ts";
import { parsePointer, toPointer } from "../kit/json/json-pointer.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { INSTANT_EXPECTED, parseInstant } from "../kit/rfc3339.ts";
import { checkValue, type Seen } from "./check-value.ts";
import { type Failure, makeFailure } from "./failure.ts";
import { parseIdempotencyKey } from "./idempotency-key.ts";
import {
  anyObject,
  form,
  listOf,
  matching,
  object,
  optional,
  text,
  upTo,
  withDefault,
  written,
} from "./form.ts";
import { isJsonObject, type JsonObject, utf8Length, withoutNulls } from "./json.ts";
import { describe, explainMisfit, toForeignHint, toMisfit } from "./issues.ts";
import { lazySchema } from "./lazy-schema.ts";
import * as LIMITS from "./limits.ts";
import { findToolName, OTHER_FIELDS, readOtherNames, type ReadAs } from "./other-names.ts";
import { guessReference, ITEM, readMarker, toPointerForm } from "./reference.ts";

const ID = /^[A-Za-z0-9_-]{1,64}$/;

const LOOP_EXPECTED = 'an array, or a reference to one such as {"$ref": "shops#/places"}';

/** One requested call, as it is sent. */
export const actionForm = object({
  tool: written,
  args: withDefault(anyObject, {}),
  id: optional(matching(ID)),
  depends_on: optional(listOf(text, { min: 0, max: LIMITS.actions })),
  timeout_ms: optional(upTo(LIMITS.maxDeadlineMs)),
  for_each: optional(
    form(
      (value) => Array.isArray(value) || isJsonObject(value),
      () => z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())], { error: LOOP_EXPECTED }),
    ),
  ),
  select: optional(listOf(text, { max: LIMITS.selectPointers })),
  idempotency_key: optional(text),
  callback_url: optional(text),
  run_at: optional(text),
});

const ABOUT: Readonly<Record<string, string>> = {
  tool: "Name of the tool to call; where it is missing, name, function or tool_name is read",
  args: "The tool's arguments; where they are missing, arguments, parameters, params or input is read, also as JSON text",
  id: "Unique within the batch; a0, a1, … by position when left out",
  depends_on: "Ids of actions that must succeed before this one starts",
  timeout_ms: "Milliseconds for this action; shortens the tool's own limit, never lengthens it",
  for_each:
    'Run the action once for every element of an array, or of a reference to one; args see it as "item#"',
  select: "JSON Pointers into the tool's output; only these parts are returned",
  idempotency_key: "The same key with the same content runs once a day; later uses get the first result",
  callback_url: "Background tools only: an https URL that is sent a signed event when the job ends",
  run_at: "Background tools only: when the first attempt begins, as RFC 3339; at most 30 days from now",
};

/** The same with words for readers of the documents. A program that plans has no use for them. */
export const actionSchema = /* @__PURE__ */ lazySchema((): ReturnType<typeof actionForm.schema> => {
  const plain = actionForm.schema();
  const shape = Object.entries<z.ZodMiniType>(plain.shape).map(([name, field]) => [
    name,
    field.check(z.describe(ABOUT[name]!)),
  ]);
  return z.extend(plain, Object.fromEntries(shape)) as typeof plain;
});

type SentAction = z.input<ReturnType<typeof actionForm.schema>>;

/** Fields that may be null as if they were not there. */
const OPTIONAL = actionForm.names.filter((name) => name !== "tool");
const OPTIONAL_ALSO = /* @__PURE__ */ OPTIONAL.concat(OTHER_FIELDS);

/** Ids as text, where a serialiser wrote numbers: of such only those that are exact. */
function withTextIds(raw: unknown): unknown {
  if (!isJsonObject(raw)) return raw;
  const { id, depends_on: needed } = raw;
  const isCounted = Array.isArray(needed) && needed.some(Number.isSafeInteger);
  if (!Number.isSafeInteger(id) && !isCounted) return raw;
  const toText = (value: unknown): unknown => (Number.isSafeInteger(value) ? String(value) : value);
  return {
    ...raw,
    ...("id" in raw && { id: toText(id) }),
    ...(isCounted && { depends_on: needed.map(toText) }),
  };
}

/** One requested call, well formed. Whether its tool exists and its arguments fit is the planner's to say. */
export interface Action {
  readonly tool: string;
  readonly args: JsonObject;
  /** False where nothing in `args` can be a reference, a template or a literal. */
  readonly mayRefer: boolean;
  /** Whether some text in it may be a placeholder that stands for nothing. */
  readonly mayMistake?: boolean | undefined;
  readonly dependsOn: readonly string[];
  readonly timeoutMs: number | undefined;
  /** An array, or a reference to one; undefined when the action runs once. */
  readonly forEach: unknown;
  /** Pointers into the output; null keeps all of it. */
  readonly select: readonly (readonly string[])[] | null;
  /** As it was sent; whether events may go there is checked where the deployment is known. */
  readonly callbackUrl: string | undefined;
  /** When a background action's first attempt is to begin, in milliseconds since the epoch. */
  readonly runAt?: number;
  /** Runs once a day however often it is sent. */
  readonly keyed?: KeyedAction;
}

/** An action's idempotency key, and what it was sent for: compared as it was sent, references and all. */
export interface KeyedAction {
  readonly key: string;
  readonly content: JsonObject;
}

/** One place in the batch: the action, or why it is not valid. Either way it will have exactly one result. */
export interface Entry {
  readonly index: number;
  readonly id: string;
  /** The tool's name as asked for, safe to show; null when there was none. */
  readonly tool: string | null;
  readonly action: Result<Action, Failure>;
  /** Which of its fields stood under other names; undefined when none did. */
  readonly readAs?: ReadAs;
}

/**
 * Parse one element of `actions`. Never refuses the batch: a slip in one action costs that action only.
 *
 * @param mayExceedArgs whether the body is large enough for one action's args to be over their limit
 */
export function parseAction(sent: unknown, index: number, mayExceedArgs: boolean): Entry {
  if (actionForm.fits(sent)) return toEntry(sent, index, parseFields(sent, mayExceedArgs));
  const raw = withTextIds(withoutNulls(sent, OPTIONAL_ALSO));
  if (actionForm.fits(raw)) return toEntry(raw, index, parseFields(raw, mayExceedArgs));
  // A tool that is null is missing only where another name says it.
  const read = readOtherNames(withoutNulls(raw, ["tool"]));
  if (read === null) return toEntry(raw, index, err(misfit(raw)));
  if (!read.ok) {
    // Which tool was meant is known, although its arguments are not.
    const named = isJsonObject(raw) ? { ...raw, tool: findToolName(raw) } : raw;
    return toEntry(named, index, err(makeFailure("INVALID_ACTION", read.error)));
  }
  const { readAs } = read.value;
  return { ...parsePlainAction(read.value.action, index, mayExceedArgs), readAs };
}

/** Parse one element of `actions` that is of the contract's own form. */
export function parsePlainAction(sent: unknown, index: number, mayExceedArgs: boolean): Entry {
  const raw = withoutNulls(sent, OPTIONAL);
  return toEntry(raw, index, actionForm.fits(raw) ? parseFields(raw, mayExceedArgs) : err(misfit(raw)));
}

function toEntry(raw: unknown, index: number, action: Entry["action"]): Entry {
  const fields = isJsonObject(raw) ? raw : {};
  const id = typeof fields["id"] === "string" && ID.test(fields["id"]) ? fields["id"] : `a${index}`;
  return { index, id, tool: toShownName(fields["tool"]), action };
}

function misfit(raw: unknown): Failure {
  const { error } = actionForm.schema().safeParse(raw);
  const { issues, hint } = explainMisfit(error!, raw, { known: actionForm.names });
  const isFlat = isJsonObject(raw) && raw["args"] === undefined && hint.includes(" no field ");
  const next = isFlat ? "The tool's own arguments go into 'args'." : sayLoop(raw);
  const said = `${hint.replace("The value", "The action")} ${next}`.trim();
  return makeFailure("INVALID_ACTION", { issues, hint: said });
}

/** How a reference to loop over is written that came as text; empty if it is not one. */
function sayLoop(raw: unknown): string {
  const loop = isJsonObject(raw) ? raw["for_each"] : undefined;
  const bare = typeof loop === "string" ? loop.replaceAll(/^[\s${<]+|[\s}>]+$/g, "") : "";
  const meant = guessReference(bare);
  return meant === null || bare === "" || meant.endsWith("#")
    ? ""
    : `Write ${JSON.stringify({ $ref: meant })}.`;
}

/** A tool's name as it may be shown. Nearly every one is as plain as an id. */
function toShownName(name: unknown): string | null {
  if (typeof name !== "string") return null;
  return ID.test(name) ? name : visibleText(name);
}

function parseFields(raw: SentAction, mayExceedArgs: boolean): Result<Action, Failure> {
  const { id, tool, args = {}, depends_on, timeout_ms, for_each } = raw;
  const { select, idempotency_key, callback_url, run_at } = raw;
  const seen = { dollar: false, braces: false };
  const checked = checkArgs(args, mayExceedArgs, seen);
  if (!checked.ok) return checked;
  // Asked before the loop is looked at, which has references of its own.
  const mayRefer = seen.dollar;
  if (id === ITEM) {
    const issues = [{ path: "/id", expected: "another id", received: describe(ITEM) }];
    const hint = `'${ITEM}' stands for the element of a for_each; give the action another id.`;
    return err(makeFailure("INVALID_ACTION", { issues, hint }));
  }
  const pointers = parseSelect(select);
  if (!pointers.ok) return pointers;
  const loop = checkLoop(for_each, seen);
  if (!loop.ok) return loop;
  const key = idempotency_key === undefined ? null : parseIdempotencyKey(idempotency_key, "/idempotency_key");
  if (key?.ok === false) return err(makeFailure("INVALID_ACTION", toMisfit(key.error)));
  const runAt = run_at === undefined ? null : parseInstant(run_at);
  if (run_at !== undefined && runAt === null) {
    const issue = { path: "/run_at", expected: INSTANT_EXPECTED, received: describe(run_at) };
    return err(makeFailure("INVALID_ACTION", toMisfit(issue)));
  }
  const content = { tool, args, for_each, select, callback_url, ...(run_at !== undefined && { run_at }) };
  return ok({
    tool,
    args,
    mayRefer,
    mayMistake: seen.braces || undefined,
    dependsOn: depends_on ?? [],
    timeoutMs: timeout_ms,
    forEach: for_each,
    select: pointers.value,
    callbackUrl: callback_url,
    ...(runAt !== null && { runAt }),
    ...(key !== null && { keyed: { key: key.value, content } }),
  });
}

/**
 * Check what no tool's schema does: that arguments hold only what JSON may say, and how much of it.
 *
 * @param mayExceed whether they can be over their limit at all; measuring costs more than everything else
 * @returns how many bytes they take as JSON, or 0 where that was not measured
 */
function checkArgs(args: JsonObject, mayExceed: boolean, seen?: Seen): Result<number, Failure> {
  const checked = checkValue(args, ["args"], seen);
  return checked.ok ? checkSize(args, mayExceed) : err(makeFailure("INVALID_ARGS", toMisfit(checked.error)));
}

/**
 * Check arguments into which references put another's data: what a refusal shows of its keys is quoted.
 *
 * @returns how many bytes they take as JSON
 */
export function checkResolved(args: JsonObject): Result<number, Failure> {
  const checked = checkValue(args, ["args"]);
  if (checked.ok) return checkSize(args, true);
  const issues = [checked.error] as const;
  return err(makeFailure("INVALID_ARGS", { issues: [...issues], hint: toForeignHint(issues, [], "/args") }));
}

function checkSize(args: JsonObject, mayExceed: boolean): Result<number, Failure> {
  if (!mayExceed) return UNMEASURED;
  const bytes = utf8Length(JSON.stringify(args));
  return bytes > LIMITS.argsBytes
    ? err(tooLarge("The arguments of one action", LIMITS.argsBytes))
    : ok(bytes);
}

const UNMEASURED = ok(0);

/** The failure of something that takes more bytes than it may. */
export function tooLarge(what: string, limitBytes: number): Failure {
  const expected = `at most ${limitBytes} bytes as JSON`;
  const issue = { path: what.endsWith("for_each") ? "/for_each" : "/args", expected, received: "more" };
  const hint = `${what} may take ${limitBytes} bytes as JSON; send less.`;
  return makeFailure("INVALID_ARGS", { issues: [issue], hint });
}

function parseSelect(pointers: readonly string[] | undefined): Result<readonly string[][] | null, Failure> {
  if (pointers === undefined) return ok(null);
  const parsed: string[][] = [];
  for (const [index, pointer] of pointers.entries()) {
    const tokens = parsePointer(pointer);
    if (tokens === null) {
      const issue = {
        path: `/select/${index}`,
        expected: `${toPointerForm(pointer)}, e.g. "/places/0/id"`,
        received: describe(pointer),
      };
      return err(makeFailure("INVALID_ACTION", toMisfit(issue)));
    }
    parsed.push(tokens);
  }
  return ok(parsed);
}

/** How many elements there may be depends on the batch, and is said when it is planned. */
function checkLoop(forEach: unknown, seen: Seen): Result<void, Failure> {
  if (forEach === undefined) return ok(undefined);
  const checked = checkValue(forEach, ["for_each"], seen);
  if (!checked.ok) return err(makeFailure("INVALID_ARGS", toMisfit(checked.error)));
  const marker = readMarker(forEach);
  if (!Array.isArray(forEach) && marker?.kind !== "ref") {
    const flaw = marker?.kind === "malformed" && marker.flaw.key === "$ref" ? marker.flaw : null;
    const issue = {
      path: flaw === null ? "/for_each" : "/for_each/$ref",
      expected: flaw?.expected ?? LOOP_EXPECTED,
      received: describe(flaw === null ? forEach : flaw.received),
    };
    return err(makeFailure("INVALID_ACTION", toMisfit(issue)));
  }
  return ok(undefined);
}

/** A loop as it was sent, and whether it is one that no caller waits for. */
interface LoopFacts {
  readonly forEach?: unknown;
  readonly isLong?: boolean | undefined;
}

export function mostElements({ isLong }: Pick<LoopFacts, "isLong">): number {
  return isLong === true ? LIMITS.longLoopElements : LIMITS.loopElements;
}

/** The failure of a `for_each` over more elements than one action may have; where they are referred to, with the way to a part. */
export function tooManyElements(count: number, { forEach, isLong = false }: LoopFacts): Failure {
  const marker = readMarker(forEach);
  const most = mostElements({ isLong });
  let part = "Loop over a part of them.";
  if (marker?.kind === "ref") {
    const { id, tokens, part: { from } = { from: 0 } } = marker.reference;
    const form = JSON.stringify({ $ref: `${id}#${toPointer(tokens)}?from=${from}&count=${most}` });
    part = `Loop over a part of them, ${form}, and in another action from ${from + most} on.`;
  }
  const later = isLong ? "" : ` With "background": true in the batch it may be ${LIMITS.longLoopElements}.`;
  const hint = `for_each may run over ${most} elements, received ${count}; nothing ran. ${part}${later}`;
  const issue = { path: "/for_each", expected: `at most ${most} elements`, received: `${count}` };
  return makeFailure("INVALID_ARGS", { issues: [issue], hint });
}
