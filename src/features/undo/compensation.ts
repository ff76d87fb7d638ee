import type { ContractField, FieldFlaw, Tool, ToolsByName } from "../../feature/tool.ts";
import {
  anyObject,
  findReferences,
  follow,
  type JsonObject,
  listArguments,
  object,
  optional,
  Pending,
  readMarker,
  refuseCertain,
  resolveReferences,
  written,
} from "../../feature/schema.ts";
import { err, type Failure, ok, type Result } from "../../feature/refuse.ts";

/** How a write is taken back: another write, and its arguments, with references into the first one's output and arguments. */
export interface Compensation {
  readonly tool: string;
  readonly args?: JsonObject;
}

/** A write that ended, as far as its compensation goes by it. */
export interface EndedWrite {
  /** Its arguments, without references. */
  readonly args: JsonObject;
  /** Its whole output, or what stands for it. */
  readonly output: unknown;
}

declare module "../../core/contract/orchestration.ts" {
  interface BroughtFields {
    /** How what a write did is taken back; `result#` in its arguments is the write's output, `args#` its arguments. */
    readonly compensate?: Compensation;
  }
}

/** The field of contracts that says how a write is taken back. */
export const COMPENSATE: ContractField = {
  name: "compensate",
  form: object({ tool: written, args: optional(anyObject) }),
  toolsOf: (value) => [(value as Compensation).tool],
  // Late inputs are read when they are first used, not at every start.
  check: (write, tools) => findFlaw(write, tools, { isLate: write.hasLateInput }),
  say: (value) => `${(value as Compensation).tool} takes it back`,
};

/**
 * Find what is wrong with how a write says that it is taken back; null where nothing is.
 *
 * @param isLate the arguments are not looked at
 */
export function findFlaw(
  write: Tool,
  tools: ToolsByName,
  { isLate = false }: { readonly isLate?: boolean } = {},
): FieldFlaw | null {
  const { tool: name, args = {} } = write.brought!.compensate!;
  const tool = tools.get(name);
  const refuse = (expected: string, received: string, hint: string, path = ["tool"]): FieldFlaw => ({
    path,
    expected,
    received,
    hint,
  });
  if (!write.isWrite)
    return refuse("nothing for a read", "an object", "A read changes nothing; take it out.", []);
  if (name === write.name)
    return refuse(
      "another tool",
      `'${name}'`,
      "A write cannot take itself back; name the tool that undoes it.",
    );
  if (tool === undefined)
    return refuse("a tool that there is", `'${name}'`, `There is no tool '${name}'; declare it first.`);
  if (!tool.isWrite)
    return refuse("a write", `the read '${name}'`, "A read takes nothing back; name a write.");
  const circle = findCircle(write, tools)?.join(" → ");
  if (circle !== undefined)
    return refuse("a tool that is not taken back by this one in turn", circle, "Take one 'compensate' out.");
  return isLate || tool.hasLateInput ? null : findFlawInArgs(write, tool, args);
}

/** Find a circle of writes that take each other back, by their names; null without one. */
function findCircle(write: Tool, tools: ToolsByName): readonly string[] | null {
  const names = [write.name];
  for (let next = write.brought?.compensate?.tool; next !== undefined;) {
    if (next === write.name) return [...names, next];
    // A circle further on is told of its own tools.
    if (names.includes(next)) return null;
    names.push(next);
    next = tools.get(next)?.brought?.compensate?.tool;
  }
  return null;
}

/** Look whether a compensation's tool would take its arguments, whatever stands where they refer to. */
function findFlawInArgs(write: Tool, tool: Tool, args: JsonObject): FieldFlaw | null {
  const references = findReferences(args, []);
  if (!references.ok) return toFlaw(references.error);
  const { taken } = listArguments(write.input);
  const knows = Object.keys(taken).length > 0;
  for (const { id, text, tokens } of references.value) {
    const isOther = id !== RESULT && id !== ARGS;
    const isUnknown = id === ARGS && knows && tokens[0] !== undefined && !Object.hasOwn(taken, tokens[0]);
    if (!isOther && !isUnknown) continue;
    const expected = isOther ? `a reference to "${RESULT}#" or "${ARGS}#"` : `an argument of '${write.name}'`;
    return { path: ["args"], expected, received: `"${text}"`, hint: REFERS };
  }
  const open = resolveReferences(args, () => ({ data: Pending.value }), UNBOUND);
  const misfit = open.ok ? refuseCertain(tool, open.value as JsonObject) : open.error;
  return misfit && toFlaw(misfit);
}

const RESULT = "result";
const ARGS = "args";
const REFERS = `'${RESULT}#' is the write's whole output and '${ARGS}#' are its arguments, each with a JSON Pointer, e.g. "${RESULT}#/id".`;
const UNBOUND = { what: "the arguments of a compensation", limitBytes: Number.POSITIVE_INFINITY };

const MISFIT = { path: "", expected: "arguments that the tool takes", received: "others" };

function toFlaw({ issues: [issue = MISFIT] = [], hint }: Failure): FieldFlaw {
  const { path, expected, received } = issue;
  const tokens = path.split("/").slice(1);
  return { path: ["args", ...tokens.slice(tokens[0] === "args" ? 1 : 0)], expected, received, hint };
}

/**
 * Make the call that takes a write back. An argument that refers to one of the write's own which was not given is left out; whatever else is
 * not there makes an error: without it the call would mean something else.
 */
export function resolveCompensation(
  { tool, args = {} }: Compensation,
  { args: sent, output }: EndedWrite,
): Result<Required<Compensation>, Failure> {
  const given = Object.entries(args).filter(([, value]) => !isLeftOut(value, sent));
  const sources = new Map<string, { readonly data: unknown }>([
    [RESULT, { data: output }],
    [ARGS, { data: sent }],
  ]);
  const resolved = resolveReferences(Object.fromEntries(given), (id) => sources.get(id), UNBOUND);
  return resolved.ok ? ok({ tool, args: resolved.value as JsonObject }) : err(resolved.error);
}

/** Whether an argument stands for one of the write's own that was not given. */
function isLeftOut(value: unknown, sent: JsonObject): boolean {
  const marker = readMarker(value);
  if (marker?.kind !== "ref" || marker.reference.id !== ARGS) return false;
  return !follow(sent, marker.reference.tokens).found;
}
