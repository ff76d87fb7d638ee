/**
 * Tools that were written for another library, as tools of Volley: `import { fromAiSdk } from "volley/from"`. They run as they are, in the
 * Worker; what Volley cannot know of them stands in `facts`.
 */
import type * as z from "zod/mini";

import {
  defineTool,
  type Tool,
  type ToolContext,
  type ToolDeclaration,
} from "../core/catalog/define-tool.ts";
import { ToolFailure } from "../core/catalog/tool-failure.ts";
import { inputSchema } from "../core/catalog/tool-schema.ts";
import { isJsonObject } from "../core/contract/json.ts";
import { nearest } from "../core/kit/nearest.ts";
import { checkSchema } from "../features/added-tools/json-schema/check-schema.ts";
import { toInput } from "../features/added-tools/json-schema/to-input.ts";

/** Facts of tools that their library does not say, by their names. A tool without is a write: one call at a time. */
export type Facts = Readonly<
  Record<string, Partial<Omit<ToolDeclaration, "name" | "input" | "run">> | undefined>
>;

/** A tool of another library. Each has its own generic types, of which nothing is needed here. */
interface Foreign {
  readonly name: string;
  readonly description: string | undefined;
  readonly input: z.core.$ZodType;
  /** It wants a person's yes for some calls or for all. */
  readonly asks: boolean;
  readonly run: (args: unknown, context: ToolContext) => Promise<unknown>;
}

type Method = (...values: readonly unknown[]) => unknown;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Make tools of a tool set of the AI SDK: `tool({ description, inputSchema, execute })` by name. One with `needsApproval` asks a person
 * each time.
 *
 * @example
 * createVolley({ tools: fromAiSdk({ getWeather, bookRoom }, { getWeather: { isWrite: false } }) });
 */
export function fromAiSdk(tools: Readonly<Record<string, object>>, facts?: Facts): Tool[] {
  const foreign = Object.entries(tools as Readonly<Record<string, Fields>>).map(([name, tool]) => {
    const { description, inputSchema: schema, needsApproval = false } = tool;
    const execute = methodOf(tool, "execute", name);
    return {
      name,
      description: textOf(description),
      input: inputOf(typeof schema === "function" ? (schema as Method)() : schema, name),
      asks: needsApproval !== false,
      run: async (args: unknown, ctx: ToolContext) =>
        lastOf(execute(args, { toolCallId: ctx.idempotencyKey, messages: [], abortSignal: ctx.signal })),
    };
  });
  return adopt(foreign, facts);
}

/** Make tools of LangChain's: `tool(run, { name, description, schema })`, or a class of its own. */
export function fromLangChain(tools: readonly object[], facts?: Facts): Tool[] {
  const foreign = (tools as readonly Fields[]).map((tool) => {
    const name = String(tool["name"]);
    const invoke = methodOf(tool, "invoke", name);
    return {
      name,
      description: textOf(tool["description"]),
      // The library reads the arguments by its schema once more, so nothing is changed by it before.
      input: unchanged(inputOf(tool["schema"], name), name),
      asks: false,
      run: async (args: unknown, { signal }: ToolContext) => invoke(args, { signal }),
    };
  });
  return adopt(foreign, facts);
}

/** Make tools of Mastra's: `createTool({ id, description, inputSchema, execute })`. One with `requireApproval` asks a person each time. */
export function fromMastra(
  tools: readonly object[] | Readonly<Record<string, object>>,
  facts?: Facts,
): Tool[] {
  const foreign = (Object.values(tools) as Fields[]).map((tool) => {
    const name = String(tool["id"]);
    const execute = methodOf(tool, "execute", name);
    return {
      name,
      description: textOf(tool["description"]),
      input: unchanged(inputOf(tool["inputSchema"], name), name),
      asks: (tool["requireApproval"] ?? false) !== false,
      run: async (args: unknown, { signal }: ToolContext) => {
        const answer = await execute(args, { abortSignal: signal });
        // So it answers arguments that do not fit, without having run.
        if (isJsonObject(answer) && answer["error"] === true && "validationErrors" in answer)
          throw new ToolFailure("INVALID_ARGS", { hint: String(answer["message"]) });
        return answer;
      },
    };
  });
  return adopt(foreign, facts);
}

/**
 * Make tools of OpenAI Agents': `tool({ name, description, parameters, execute })`. That library makes a text of a failure unless
 * `errorFunction` is `null`; a call that gives the text which it gives for unreadable arguments has failed.
 */
export function fromOpenAiAgents(tools: readonly object[], facts?: Facts): Tool[] {
  const foreign = (tools as readonly Fields[]).map((tool) => {
    const name = String(tool["name"]);
    const invoke = methodOf(tool, "invoke", name);
    const needsApproval = tool["needsApproval"] as Method | undefined;
    const call = async (json: string, signal?: AbortSignal): Promise<unknown> =>
      invoke({ context: {}, usage: {} }, json, { signal });
    let failed: Promise<unknown> | undefined;
    return {
      name,
      description: textOf(tool["description"]),
      input: inputOf(tool["parameters"], name),
      asks: false,
      run: async (args: unknown, { signal, idempotencyKey }: ToolContext) => {
        if ((await needsApproval?.({ context: {} }, args, idempotencyKey)) === true)
          throw new ToolFailure("MISCONFIGURED", {
            hint: `The tool wants a person's approval for this call. Its operator has to write {"${name}": {"orchestration": {"mode": "sequential-only", "confirm": "always"}}} into its facts, and take needsApproval out.`,
          });
        failed ??= call("{").then(
          (text) => text,
          () => undefined,
        );
        const [failure, answer] = [await failed, await call(JSON.stringify(args), signal)];
        if (failure !== undefined && answer === failure) throw new Error(String(failure));
        return answer;
      },
    };
  });
  return adopt(foreign, facts);
}

function adopt(foreign: readonly Foreign[], facts: Facts = {}): Tool[] {
  const names = foreign.map(({ name }) => name);
  const [stray] = Object.keys(facts).filter((name) => !names.includes(name));
  if (stray !== undefined) {
    const [near] = nearest(stray, names, 1);
    throw new Error(
      `Cannot use the facts of '${stray}': no tool has this name${near === undefined ? "" : `; did you mean '${near}'?`}`,
    );
  }
  return foreign.map(({ name, description, input, asks, run }) => {
    const fact = facts[name] ?? {};
    const { isWrite = true } = fact;
    const tool = defineTool({
      name,
      description: description?.trim() ? description : `The tool ${name}.`,
      input,
      hosts: [],
      ...(asks && {
        orchestration: { mode: isWrite ? "sequential-only" : "parallel-safe", confirm: "always" },
      }),
      ...fact,
      run,
    });
    // It sends by ways of its own, whatever hosts its facts name.
    return isWrite ? Object.assign(tool, { actsUnseen: true as const }) : tool;
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function methodOf(tool: Fields, method: string, name: string): Method {
  const found = tool[method];
  if (typeof found !== "function")
    throw new Error(`Cannot use the tool '${name}': it has no ${method}(), so nothing here can run it`);
  return (found as Method).bind(tool);
}

/** The input of a tool, of whichever kind its library takes: a Zod 4 schema, a JSON Schema, or what can write itself as one. */
function inputOf(schema: unknown, name: string): z.core.$ZodType {
  if (schema === undefined || schema === null) return toInput({ type: "object", properties: {} });
  const refuse = (why: string): never => {
    throw new Error(`Cannot use the tool '${name}': ${why}`);
  };
  const { _zod, jsonSchema, "~standard": standard } = schema as Fields;
  if (_zod !== undefined) return schema as z.core.$ZodType;
  const writer = (standard as { jsonSchema?: { input?: Method } } | undefined)?.jsonSchema?.input;
  const written = writer?.({ target: "draft-2020-12" }) ?? jsonSchema ?? schema;
  if (!isJsonObject(written) || written["type"] !== "object")
    return refuse("its schema must be a Zod 4 schema or a JSON Schema of an object; one of Zod 3 is neither");
  const { $schema: _dialect, ...known } = written;
  checkSchema(known, (path, expected) => refuse(`its schema must have ${expected} at /${path.join("/")}`));
  return toInput(known);
}

/** The same check, of which what came in comes out: no default is filled in, nothing transformed. */
function unchanged(input: z.core.$ZodType, name: string): z.core.$ZodType {
  return toInput(inputSchema({ name, input }));
}

/** The last value of what may come in pieces. */
async function lastOf(answer: unknown): Promise<unknown> {
  const value = await answer;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  let last: unknown;
  for await (const piece of value as AsyncIterable<unknown>) last = piece;
  return last;
}
