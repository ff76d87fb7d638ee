import * as z from "zod/mini";

import type { Entry } from "../contract/action.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { explainMisfit } from "../contract/issues.ts";
import { isJsonObject, type JsonObject, withoutNulls } from "../contract/json.ts";
import { strictSchema } from "../contract/lazy-schema.ts";
import { readMarker } from "../contract/reference.ts";
import { readJsonText } from "../contract/run-schema.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";

/** The tool that a model calls to have a whole batch run. */
export const BATCH_TOOL = "execute_actions";

/** The tool and arguments that an alias stands for. */
export interface Invocation {
  readonly tool: string;
  readonly args: JsonObject;
  /** The arguments came as JSON text, which may have references in it. */
  readonly wasText?: true;
}

/**
 * A name under which any tool can be called. It never runs: before a batch is planned, an action of it becomes the
 * action it names, and so is held to that tool's caps, limits and questions.
 */
export interface Alias {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodMiniObject;
  /** Read its arguments as the call they name. References in that call's own arguments stay what they are. */
  resolve(args: JsonObject): Result<Invocation, Failure>;
}

/** The arguments of `invoke_tool`. */
export const invocationSchema = strictSchema(() => ({
  tool_name: z.string().check(z.minLength(1), z.describe("From discover_tools")),
  parameters: z._default(z.record(z.string(), z.unknown()), {}).check(z.describe("As get_tool_schema says")),
}));

const invokeTool: Alias = {
  name: "invoke_tool",
  description: "Call one tool by its name.",
  get input() {
    return invocationSchema();
  },
  resolve(sent) {
    const bare = withoutNulls(sent, ["parameters"]) as JsonObject;
    const read = readJsonText(bare["parameters"], "object", 4);
    const args = read === undefined ? bare : { ...bare, parameters: read };
    if (readMarker(args) !== null || isJsonObject(args["tool_name"])) return err(notKnownYet());
    const parsed = invocationSchema().safeParse(args);
    if (!parsed.success) {
      const known = Object.keys(invocationSchema().shape);
      return err(makeFailure("INVALID_ARGS", explainMisfit(parsed.error, args, { known, base: ["args"] })));
    }
    const tool = parsed.data.tool_name;
    if (ALIASES.has(tool)) return err(makeFailure("INVALID_ARGS", { hint: `'${tool}' cannot call itself.` }));
    // The arguments as they were sent, not Zod's copy.
    return ok({
      tool,
      args: (args["parameters"] ?? {}) as JsonObject,
      ...(read !== undefined && { wasText: true }),
    });
  },
};

/** Every alias, by its name. */
export const ALIASES: ReadonlyMap<string, Alias> = new Map([[invokeTool.name, invokeTool]]);

/** Caps, limits and order are planned before anything runs, so the tool cannot be another action's answer. */
function notKnownYet(): Failure {
  return makeFailure("INVALID_ARGS", {
    issues: [{ path: "/args/tool_name", expected: "a string", received: "a reference or an object" }],
    hint: "/args/tool_name must be written out: which tool is called has to be known before anything runs. References may stand in parameters.",
  });
}

/**
 * Rewrite every action that calls a tool through an alias into the action it names. It keeps its id, its place and its other
 * fields; from here on it looks like one that was written that way, so whatever holds for the tool holds for it.
 */
export function resolveAliases(entries: readonly Entry[]): readonly Entry[] {
  return entries.some(isAlias)
    ? entries.map((entry) => (isAlias(entry) ? resolveAlias(entry) : entry))
    : entries;
}

function isAlias({ action }: Entry): boolean {
  return action.ok && ALIASES.has(action.value.tool);
}

function resolveAlias(entry: Entry): Entry {
  if (!entry.action.ok) return entry;
  const action = entry.action.value;
  const invocation = ALIASES.get(action.tool)!.resolve(action.args);
  if (!invocation.ok) return { ...entry, action: err(invocation.error) };
  const { tool, args, wasText = false } = invocation.value;
  const mayRefer = action.mayRefer || wasText;
  const resolved = { ...entry, tool: visibleText(tool), action: ok({ ...action, tool, args, mayRefer }) };
  return wasText ? { ...resolved, readAs: { ...entry.readAs, args: "JSON text in /parameters" } } : resolved;
}
