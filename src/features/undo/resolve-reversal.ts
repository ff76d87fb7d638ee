import { makeFailure, toWireFailure, type WireFailure } from "../../core/contract/failure.ts";
import type { Delivery } from "../../core/contract/gate/job.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../core/contract/json.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { type Compensation, resolveCompensation } from "./compensation.ts";
import type { Irreversible, Reversal } from "./undo-run.ts";

/** A write that was done, as far as is known. */
interface DoneWrite {
  readonly tool: string;
  readonly args: JsonObject;
  /** Its output, or what stands for it; undefined where that is not known. */
  readonly output: unknown;
}

/** Find the call that takes a write back. @param by how; null where there is no way */
export function resolveReversal(
  by: { readonly compensation: Compensation; readonly delivery: Delivery } | null,
  { tool, args, output }: DoneWrite,
): Reversal | Irreversible {
  if (by === null) return { tool, error: irreversible(tool) };
  const { compensation, delivery } = by;
  const resolved = resolveCompensation(compensation, { args, output });
  return resolved.ok
    ? { tool: resolved.value.tool, argsJson: JSON.stringify(resolved.value.args), delivery }
    : { tool: compensation.tool, error: toWireFailure(resolved.error) };
}

/** Read an object that was written as JSON text; an empty one of anything else. */
export function readObject(json: string): JsonObject {
  const value = attemptNow(() => parseExact(json));
  return value.ok && isJsonObject(value.value) ? value.value : {};
}

/** Why a write cannot be taken back. */
function irreversible(tool: string): WireFailure {
  return toWireFailure(
    makeFailure("NOT_REVERSIBLE", {
      hint: `'${tool}' says no way to take back what it did; look what stands, and take it back yourself where that can be done.`,
    }),
  );
}
