import * as LIMITS from "../core/contract/limits.ts";
import { attempt } from "../core/kit/result.ts";
import { createClient } from "./client.ts";
import { type ClientOptions, VolleyError } from "./client/transport.ts";
import type { ActionRequest, ActionResult } from "./client/wire-types.ts";

export interface VolleyToolsOptions extends ClientOptions {
  /**
   * How the model sees Volley: `batch` (unless said) is one tool that takes a list of actions; `meta` finds tools and calls them; `flat`
   * is every tool by itself, and the calls of one step are sent as one batch.
   */
  readonly surface?: "batch" | "meta" | "flat";
}

/** A tool as the AI SDK takes it. */
export interface VolleyTool {
  readonly description: string;
  /** The SDK's own kind of schema, whose type only its package can name. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly inputSchema: any;
  /** OpenAI's Responses API wants to be told that fields of a schema may be left out. */
  readonly strict: false;
  /** @param input what the model wrote, as the schema says */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly execute: (input: any, options?: { readonly abortSignal?: AbortSignal }) => Promise<unknown>;
}

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: object;
}

/**
 * Make a tool set for the AI SDK (`ai` 5 or newer): the tools that a key may call, with schemas that the deployment writes. The model
 * is told why a call was refused where another call would not be; a refused key and a lost connection reject.
 *
 * @example
 * const tools = await volleyTools({ url: "https://volley.example.com", key });
 * const { text } = await generateText({ model, prompt, tools, stopWhen: stepCountIs(5) });
 */
export async function volleyTools({
  surface = "batch",
  ...options
}: VolleyToolsOptions): Promise<Record<string, VolleyTool>> {
  const client = createClient(options);
  const { tools } = await client.api.tools.list({ format: "json-schema", surface });
  const callTogether = gatherCalls<ActionRequest, ActionResult>(
    async (actions, signal) => (await client.execute({ actions }, keyed(signal))).results,
    LIMITS.actions,
  );
  const own: Readonly<Record<string, (input: never, signal?: AbortSignal) => Promise<unknown>>> = {
    execute_actions: (batch, signal) => client.execute(batch, keyed(signal)),
    invoke_tool: (call, signal) => client.api.tools.invoke(call, keyed(signal)),
    discover_tools: (query, signal) => client.api.tools.discover(query, { signal }),
    get_tool_schema: (name, signal) => client.api.tools.schema(name, { signal }),
  };
  return Object.fromEntries(
    (tools as readonly unknown[] as readonly ListedTool[]).map(({ name, description, input_schema }) => {
      const call = own[name] ?? ((args: never, signal) => callTogether({ tool: name, args }, signal));
      const tool: VolleyTool = {
        description,
        inputSchema: toSchema(input_schema),
        strict: false,
        execute: (input, { abortSignal } = {}) => orRefusal(call(input as never, abortSignal)),
      };
      return [name, tool];
    }),
  );
}

/** A request of its own: what is lost on the way is sent again under the same key, and runs once. */
function keyed(signal: AbortSignal | undefined): { idempotencyKey: string; signal: AbortSignal | undefined } {
  return { idempotencyKey: crypto.randomUUID(), signal };
}

/** Mark a JSON Schema as the SDK does. Source: `jsonSchema` of `@ai-sdk/provider-utils`; the server is who validates. */
function toSchema(jsonSchema: object): object {
  return { [Symbol.for("vercel.ai.schema")]: true, _type: undefined, validate: undefined, jsonSchema };
}

/** The answer to a call, or why it was refused, where another call would not be. */
async function orRefusal(answer: Promise<unknown>): Promise<unknown> {
  const answered = await attempt(() => answer);
  if (answered.ok) return answered.value;
  const { error } = answered;
  if (!(error instanceof VolleyError) || ![400, 413, 422].includes(error.status)) throw error;
  return { error: { code: error.code, hint: error.hint, issues: error.issues } };
}

/** Sends many things in one request: one answer for each, in their order. */
type SendAll<T, A> = (all: readonly T[], signal: AbortSignal | undefined) => Promise<readonly A[]>;

/**
 * Send together what is asked for in one turn of the event loop, as a model's calls of one step are, so that they are ordered and run as
 * one batch. At most `most` go in one request.
 */
function gatherCalls<T, A>(
  sendAll: SendAll<T, A>,
  most: number,
): (one: T, signal?: AbortSignal) => Promise<A> {
  let gathered: T[] = [];
  let sent: Promise<readonly A[]> | null = null;
  return async (one, signal) => {
    if (gathered.length === most) sent = null;
    if (sent === null) {
      const all: T[] = (gathered = []);
      sent = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => {
        if (gathered === all) sent = null;
        return sendAll(all, signal);
      });
    }
    const place = gathered.push(one) - 1;
    return (await sent)[place]!;
  };
}
