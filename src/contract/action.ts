import * as z from "zod";

import { visibleText } from "../kit/visible-text.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { checkValue } from "./check-value.ts";
import { type Failure, makeFailure } from "./failure.ts";
import { suggestFields, toHint, toIssues } from "./issues.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { LIMITS } from "./limits.ts";

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** One requested call, as it is sent. */
export const actionSchema = z.strictObject({
  tool: z.string().min(1).describe("Name of the tool to call"),
  args: z.record(z.string(), z.unknown()).default({}).describe("The tool's arguments"),
  id: z
    .string()
    .regex(ID)
    .optional()
    .describe("Unique within the batch; a0, a1, … by position when left out"),
  depends_on: z
    .array(z.string())
    .max(LIMITS.actions)
    .optional()
    .describe("Ids of actions that must succeed before this one starts"),
  timeout_ms: z
    .int()
    .min(1)
    .max(LIMITS.maxDeadlineMs)
    .optional()
    .describe("Milliseconds for this action; shortens the tool's own limit, never lengthens it"),
});

/** Part of the contract, not offered yet: refused by name, so nobody relies on what would be ignored. */
const LATER = ["for_each", "select", "idempotency_key", "callback_url"];
const REFERENCES = ["$ref", "$template", "$literal"];

/** One requested call, well formed. Whether its tool exists and its arguments fit is the planner's to say. */
export interface Action {
  readonly tool: string;
  readonly args: JsonObject;
  readonly dependsOn: readonly string[];
  readonly timeoutMs: number | undefined;
}

/** One place in the batch: the action, or why it is none. Either way it will have exactly one result. */
export interface Entry {
  readonly index: number;
  readonly id: string;
  /** The tool's name as asked for, safe to show; null when there was none. */
  readonly tool: string | null;
  readonly action: Result<Action, Failure>;
}

/**
 * Parse one element of `actions`. Never refuses the batch: a slip in one action costs that action only.
 *
 * @param mayExceedArgs whether the body is large enough for one action's args to be over their limit
 */
export function parseAction(raw: unknown, index: number, mayExceedArgs: boolean): Entry {
  const fields = isJsonObject(raw) ? raw : {};
  const id = typeof fields["id"] === "string" && ID.test(fields["id"]) ? fields["id"] : `a${index}`;
  const tool = typeof fields["tool"] === "string" ? visibleText(fields["tool"]) : null;
  return { index, id, tool, action: parseFields(raw, mayExceedArgs) };
}

function parseFields(raw: unknown, mayExceedArgs: boolean): Result<Action, Failure> {
  if (isJsonObject(raw)) {
    const later = LATER.find((field) => Object.hasOwn(raw, field));
    if (later !== undefined)
      return err(makeFailure("INVALID_ACTION", { hint: `'${later}' is not supported yet; leave it out.` }));
  }
  const parsed = actionSchema.safeParse(raw);
  if (!parsed.success) {
    const issues = toIssues(parsed.error, raw);
    const suggestion = suggestFields(issues, Object.keys(actionSchema.shape));
    return err(makeFailure("INVALID_ACTION", { issues, hint: `${toHint(issues)} ${suggestion}`.trim() }));
  }
  const { tool, depends_on, timeout_ms } = parsed.data;
  // What was sent, not Zod's copy: a copy may already have dropped the keys that must be refused.
  const args = (raw as { readonly args?: JsonObject }).args ?? {};
  const checked = checkValue(args, ["args"]);
  if (!checked.ok)
    return err(makeFailure("INVALID_ARGS", { issues: [checked.error], hint: toHint([checked.error]) }));
  const reference = findReference(args);
  if (reference !== null) {
    return err(
      makeFailure("BAD_REFERENCE", {
        hint: `'${reference}' in args is not supported yet; send the value itself.`,
      }),
    );
  }
  if (mayExceedArgs && new TextEncoder().encode(JSON.stringify(args)).length > LIMITS.argsBytes) {
    return err(
      makeFailure("INVALID_ARGS", {
        hint: `The arguments of one action may take ${LIMITS.argsBytes} bytes as JSON; send less.`,
      }),
    );
  }
  return ok({ tool, args, dependsOn: depends_on ?? [], timeoutMs: timeout_ms });
}

function findReference(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (REFERENCES.includes(key)) return key;
    const found = findReference(inner);
    if (found !== null) return found;
  }
  return null;
}
