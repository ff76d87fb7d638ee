import { utf8Length } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import { exceedsDepth } from "../contract/parse-json.ts";
import { attemptNow } from "../kit/result.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";

const encoder = new TextEncoder();

/**
 * Write a tool's output as JSON, once: the text is what the envelope will contain, byte for byte.
 *
 * Throws `TOOL_FAILED` for what JSON cannot say (nothing at all, BigInt, a cycle) and for what nests so deep
 * that callers could not read it, and `RESPONSE_TOO_LARGE` for more than an answer has room for, so that a careless tool costs its own result and not the envelope.
 */
export function serialiseOutput(output: unknown): { readonly json: string; readonly bytes: number } {
  const text = attemptNow((): string | undefined => JSON.stringify(output));
  if (!text.ok) {
    throw new ToolFailure("TOOL_FAILED", {
      hint: "The tool returned a value that JSON cannot express; its author has to fix it.",
    });
  }
  const json = text.value;
  if (json === undefined) {
    throw new ToolFailure("TOOL_FAILED", {
      hint: "The tool returned nothing; its author has to return a JSON value.",
    });
  }
  // A level takes two characters, so a short output cannot be too deep.
  const written = json.length > 2 * LIMITS.outputNesting ? encoder.encode(json) : null;
  const bytes = written?.length ?? utf8Length(json);
  if (bytes > LIMITS.outputBytes) {
    throw new ToolFailure("RESPONSE_TOO_LARGE", {
      hint: `One action may return ${LIMITS.outputBytes} bytes; ask for less.`,
    });
  }
  if (written !== null && exceedsDepth(written, LIMITS.outputNesting)) {
    throw new ToolFailure("TOOL_FAILED", {
      hint: `The tool returned a value that nests deeper than ${LIMITS.outputNesting} levels, which callers could not read.`,
    });
  }
  return { json, bytes };
}
