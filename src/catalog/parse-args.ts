import { type Failure, makeFailure } from "../contract/failure.ts";
import { suggestFields, toHint, toIssues } from "../contract/issues.ts";
import type { JsonObject } from "../contract/json.ts";
import { err, ok, type Result } from "../kit/result.ts";
import type { Tool } from "./define-tool.ts";

/** Check arguments against the tool's schema; the refusal names each path, what was expected and what came. */
export function parseArgs(tool: Tool, args: JsonObject): Result<unknown, Failure> {
  const parsed = tool.input.safeParse(args);
  if (parsed.success) return ok(parsed.data);
  const issues = toIssues(parsed.error, args, ["args"]);
  const hint = `${toHint(issues)} ${suggestFields(issues, fieldsOf(tool), "/args")}`.trim();
  return err(makeFailure("INVALID_ARGS", { issues, hint }));
}

function fieldsOf(tool: Tool): string[] {
  const { shape } = tool.input as { readonly shape?: Readonly<Record<string, unknown>> };
  return shape === undefined ? [] : Object.keys(shape);
}
