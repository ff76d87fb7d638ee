import { follow, parsePointer } from "../kit/json/json-pointer.ts";
import type { Orchestration } from "../contract/orchestration.ts";
import type { Tool } from "./define-tool.ts";
import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "../contract/json.ts";

/** How to look whether a write took effect: a read, and where its arguments and its answer's meaning come from. */
export interface Verifier {
  readonly tool: Tool;
  /** For every argument of the read, where the write's arguments have it. */
  readonly args: readonly (readonly [name: string, pointer: readonly string[]])[];
  /** The values that the read's output must hold; null when it is enough that the read succeeds. */
  readonly found: readonly string[] | null;
  /** Where the write's arguments have what must stand there; null when anything may. */
  readonly equals: readonly string[] | null;
  /** Where the read's output has what stands for the write's; null where nothing does. */
  readonly result: readonly string[] | null;
}

type VerifyWith = NonNullable<Orchestration["verify_with"]>;

/**
 * Make the verifiers of a catalog's writes, by the write's name; throws, naming the write, when one cannot work: its read
 * does not exist, is no plain read, or is given what it does not take.
 */
export function makeVerifiers(tools: readonly Tool[]): ReadonlyMap<string, Verifier> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return new Map(
    tools.flatMap((write) => {
      const { verify_with: declared } = write.orchestration;
      return declared === undefined ? [] : [[write.name, makeVerifier(write, declared, byName)] as const];
    }),
  );
}

/** Make one write's verifier, of tools that are found by their names. Throws as `makeVerifiers` does. */
export function makeVerifier(
  write: Tool,
  declared: VerifyWith,
  byName: Pick<ReadonlyMap<string, Tool>, "get">,
): Verifier {
  const fail = (problem: string): never => {
    throw new Error(`Cannot create catalog: 'verify_with' of '${write.name}' ${problem}`);
  };
  const must = (condition: boolean, problem: string): void => {
    if (!condition) fail(problem);
  };
  const tool = byName.get(declared.tool) ?? fail(`names the unknown tool '${declared.tool}'`);
  must(write.isWrite, "is for writes: a read that is lost is made again");
  must(!write.idempotent, "is of no use to a write that may be sent again anyway");
  must(!tool.isWrite && !tool.confirm, `needs a read without a confirmation, which '${tool.name}' is not`);
  // A limited tool's calls were promised to callers, so a verification may not use them up.
  must(
    tool.globalLimits === null && tool.orchestration.rate_limit === undefined,
    `names '${tool.name}', which has a rate limit or a global concurrency`,
  );

  const { taken, needed } = listArguments(tool.input);
  for (const name of Object.keys(declared.args))
    must(Object.hasOwn(taken, name), `gives '${tool.name}' the argument '${name}', which it does not take`);
  for (const name of needed)
    must(Object.hasOwn(declared.args, name), `does not give '${tool.name}' its argument '${name}'`);
  must(
    declared.equals === undefined || declared.found !== undefined,
    "has 'equals' without 'found', so nothing says what must be equal",
  );

  const toTokens = (pointer: string, field: string): readonly string[] =>
    parsePointer(pointer) ?? fail(`has '${pointer}' as '${field}', which is no JSON Pointer`);
  const { taken: sent } = listArguments(write.input);
  const toSent = (pointer: string, field: string): readonly string[] => {
    const tokens = toTokens(pointer, field);
    must(
      tokens.length === 0 || follow(sent, tokens.slice(0, 1)).found,
      `takes '${field}' from '${pointer}', where '${write.name}' has no argument`,
    );
    return tokens;
  };
  return {
    tool,
    args: Object.entries(declared.args).map(([name, pointer]) => [name, toSent(pointer, `args.${name}`)]),
    found: declared.found === undefined ? null : toTokens(declared.found, "found"),
    equals: declared.equals === undefined ? null : toSent(declared.equals, "equals"),
    result: declared.result === undefined ? null : toTokens(declared.result, "result"),
  };
}

/** The arguments of a tool by their names, and those of them that a call must have. */
export interface Arguments {
  readonly taken: JsonObject;
  readonly needed: readonly string[];
}

/** The fields of a kind of schema that are read here. Zod has one type per kind; only these fields of them are read. */
interface Definition {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly left?: z.core.$ZodType;
  readonly right?: z.core.$ZodType;
}

/**
 * List the arguments of an input as its JSON Schema says them, without writing it: a Worker that describes no tool does not need the
 * code that writes schemas. No argument is known of an input that is no object.
 */
export function listArguments(input: z.core.$ZodType): Arguments {
  const { shape, innerType, in: from, left, right } = input._zod.def as Definition;
  const inner = innerType ?? from;
  if (inner !== undefined) return listArguments(inner);
  if (left !== undefined && right !== undefined) {
    const [one, other] = [listArguments(left), listArguments(right)];
    return { taken: { ...one.taken, ...other.taken }, needed: [...one.needed, ...other.needed] };
  }
  if (shape !== undefined) {
    const needed = Object.keys(shape).filter((name) => shape[name]!._zod.optin === undefined);
    return { taken: shape, needed };
  }
  // The input of a tool that brings its JSON Schema is registered with it.
  const { properties, required = [] } = (z.globalRegistry.get(input) ?? {}) as {
    readonly properties?: unknown;
    readonly required?: readonly string[];
  };
  return { taken: isJsonObject(properties) ? properties : {}, needed: required };
}
