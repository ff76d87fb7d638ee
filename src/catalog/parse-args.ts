import { type Failure, makeFailure } from "../contract/failure.ts";
import { explainMisfit } from "../contract/issues.ts";
import type { JsonObject } from "../contract/json.ts";
import { err, ok, type Result } from "../kit/result.ts";
import type { Tool } from "./define-tool.ts";

/**
 * Check arguments against the tool's schema; the refusal names each path, what was expected and what came.
 *
 * @param isForeign whether references put another's data into them, whose keys are then quoted
 */
export function parseArgs(tool: Tool, args: JsonObject, isForeign = false): Result<unknown, Failure> {
  const parsed = tool.input.safeParse(args);
  if (parsed.success) return ok(parsed.data);
  return err(
    makeFailure("INVALID_ARGS", explainMisfit(parsed.error, args, fieldsOf(tool), ["args"], isForeign)),
  );
}

function fieldsOf(tool: Tool): string[] {
  const { shape } = tool.input as { readonly shape?: Readonly<Record<string, unknown>> };
  return shape === undefined ? [] : Object.keys(shape);
}
