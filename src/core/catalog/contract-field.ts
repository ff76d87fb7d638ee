import type { Form } from "../contract/form.ts";
import { toIssues } from "../contract/issues.ts";
import type { JsonObject } from "../contract/json.ts";
import type { Tool } from "./define-tool.ts";

/** A field of contracts that a feature brings. Core keeps its value, has it checked and shows it, and obeys nothing of it. */
export interface ContractField {
  readonly name: string;
  readonly form: Form;
  /** The tools that a value names: a key that may not call one of them is not shown the field. */
  readonly toolsOf: (value: unknown) => readonly string[];
  /** Find what is wrong with the field of a tool whose value has the form, looking at the tools that there are. */
  readonly check: (tool: Tool, tools: ToolsByName) => FieldFlaw | null;
  /** Say it to a model in a few words. */
  readonly say: (value: unknown) => string;
}

/** Tools to be found by their names. */
export type ToolsByName = Pick<ReadonlyMap<string, Tool>, "get">;

/** A fault of a field, at a place inside it. */
export interface FieldFlaw {
  readonly path: readonly PropertyKey[];
  readonly expected: string;
  /** The value that stands there instead, in words. */
  readonly received: string;
  /** The next step, in a sentence. */
  readonly hint?: string | undefined;
}

/** Find what is wrong with the fields of a tool's contract that features bring. Paths begin with a field's name. */
export function checkFields(
  tool: Tool,
  fields: readonly ContractField[],
  tools: ToolsByName,
): readonly FieldFlaw[] {
  const { brought } = tool;
  if (brought === undefined) return [];
  return fields.flatMap(({ name, form, check }): readonly FieldFlaw[] => {
    const value = (brought as JsonObject)[name];
    if (value === undefined) return [];
    if (!form.fits(value)) {
      const { error } = form.schema().safeParse(value);
      const issues = error === undefined ? [] : toIssues(error, value);
      return issues.map(({ path, ...flaw }) => ({ ...flaw, path: [name, ...path.split("/").slice(1)] }));
    }
    const flaw = check(tool, tools);
    return flaw === null ? [] : [{ ...flaw, path: [name, ...flaw.path] }];
  });
}
