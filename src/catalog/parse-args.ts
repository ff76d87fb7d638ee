import { type Failure, makeFailure } from "../contract/failure.ts";
import { explainMisfit, PARSING, toMisfits } from "../contract/issues.ts";
import type { JsonObject } from "../contract/json.ts";
import { err, ok, type Result } from "../kit/result.ts";
import type { Tool } from "./define-tool.ts";

/** What explaining arguments that do not fit may still cost whoever checks many. */
export interface ExplanationRoom {
  /** Things wrong that were found count against it. */
  issues: number;
  /** Whether one more hint may look for similar names. */
  suggests(): boolean;
}

/** How a refusal explains what is wrong. */
export interface ExplainOptions {
  readonly room?: ExplanationRoom;
  /** References put another's data into the arguments, whose keys are then quoted. */
  readonly isForeign?: boolean;
}

/** Check arguments against the tool's schema; the refusal names each path, what was expected and what came. */
export function parseArgs(
  tool: Tool,
  args: JsonObject,
  { room, isForeign = false }: ExplainOptions = {},
): Result<unknown, Failure> {
  // What `safeParse()` does, but for putting into words all that is wrong.
  const parsed = tool.input._zod.run({ value: args, issues: [] }, PARSING);
  if (parsed instanceof Promise) throw new Error(`The schema of '${tool.name}' answers later`);
  if (parsed.issues.length === 0) return ok(parsed.value);
  const misfits = toMisfits(parsed.issues);
  if (room !== undefined) room.issues -= misfits.count;
  const known = room === undefined || room.suggests() ? fieldsOf(tool) : [];
  return err(makeFailure("INVALID_ARGS", explainMisfit(misfits, args, known, ["args"], isForeign)));
}

function fieldsOf(tool: Tool): string[] {
  const { shape } = tool.input as { readonly shape?: Readonly<Record<string, unknown>> };
  return shape === undefined ? [] : Object.keys(shape);
}
