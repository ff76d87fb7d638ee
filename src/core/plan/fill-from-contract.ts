import type { Tool } from "../catalog/define-tool.ts";
import type { Action, Entry } from "../contract/action.ts";
import type { Failure } from "../contract/failure.ts";
import type { JsonObject } from "../contract/json.ts";
import { readMarker } from "../contract/reference.ts";
import { toPointer } from "../kit/json/json-pointer.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { lostReference } from "./references.ts";

export interface Filled {
  /** The arguments, with a reference in place of every field that the contract fills in. */
  readonly input: JsonObject;
  /** The steps it is filled from; none when nothing was missing. */
  readonly filledFrom: readonly number[];
}

/** Where fields may be filled in from: the actions before the one at `index`, but none of a hidden tool. */
interface FillSources {
  readonly index: number;
  readonly entries: readonly Entry[];
  readonly hidden: ReadonlySet<string>;
}

/**
 * Fill in what a `dependent` tool's contract promises: a required field that is missing becomes a reference to the
 * earlier action of the declared tool, if there is exactly one.
 *
 * Only ever a reference, so that what was filled in is waited for, looked up and checked like any other. With none or
 * several to choose from nothing is guessed: the failure names the ids that could be meant.
 */
export function fillFromContract(
  action: Action,
  tool: Tool,
  { index, entries, hidden }: FillSources,
): Result<Filled, Failure> {
  const { mode, depends_on = [] } = tool.orchestration;
  // The missing fields of arguments that are one reference as a whole are not known yet.
  if (mode !== "dependent" || readMarker(action.args) !== null)
    return ok({ input: action.args, filledFrom: [] });

  let input = action.args;
  const filledFrom: number[] = [];
  for (const dependency of depends_on) {
    const missing = dependency.required_fields.filter((field) => !Object.hasOwn(input, field));
    // A tool that the caller may not call fills nothing in, and is not named: the schema then reports the missing field.
    if (missing.length === 0 || hidden.has(dependency.tool)) continue;
    const candidates = entries
      .slice(0, index)
      .filter(({ action: other }) => other.ok && other.value.tool === dependency.tool);
    const [source] = candidates;
    if (source === undefined || candidates.length > 1)
      return err(ambiguous(missing, dependency.tool, candidates));
    const filled = missing.map((field) => {
      const pointer = dependency.from?.[field] ?? toPointer([field]);
      return [field, { $ref: `${source.id}#${pointer}` }] as const;
    });
    input = { ...input, ...Object.fromEntries(filled) };
    filledFrom.push(source.index);
  }
  return ok({ input, filledFrom });
}

function ambiguous(missing: readonly string[], toolName: string, candidates: readonly Entry[]): Failure {
  const fields = missing.map((field) => `'${field}'`).join(", ");
  const hint =
    candidates.length === 0
      ? `${fields} is missing and no earlier action of '${toolName}' is there to take it from; add one before this action, or send it in args.`
      : `${fields} is missing and could come from ${candidates.map(({ id }) => `'${id}'`).join(" or ")}; say which with a {"$ref": "id#pointer"}.`;
  return lostReference(hint, { at: ["args", missing[0]!] });
}
