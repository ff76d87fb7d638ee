import * as z from "zod/mini";
import type { Tool } from "../../src/core/catalog/define-tool.ts";
import { WEBHOOK_SECRET } from "../sandbox/upstreams/examples.ts";
import { routeUpstream } from "../sandbox/upstreams/route-upstream.ts";
import { FakeToolContext, type SentRequest } from "./fake-tool-context.ts";
import { INSTANT_PORTS } from "./instant-ports.ts";

const SECRETS = {
  GOOGLE_MAPS_API_KEY: "maps-key",
  BRAVE_SEARCH_API_KEY: "brave-key",
  RESEND_API_KEY: "re_key",
  COHERE_API_KEY: "cohere-key",
  OPENAI_API_KEY: "openai-key",
  EIA_API_KEY: "eia-key",
  VOLLEY_WEBHOOK_SECRET: WEBHOOK_SECRET,
  EMAIL_FROM: "Volley <volley@example.com>",
  GOOGLE_CLIENT_ID: "client.apps.googleusercontent.com",
  GOOGLE_CLIENT_SECRET: "client-secret",
  GOOGLE_REFRESH_TOKEN: "1//refresh-token",
};

interface RunToolOptions {
  /** Answers instead of the stand-ins. */
  readonly answer?: (request: Request) => Promise<Response> | Response;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly tenant?: string;
  /** Milliseconds since the epoch; the stand-ins' time unless said. */
  readonly now?: () => number;
  /** Calls of one request have the same. */
  readonly request?: object;
}

interface ToolRun {
  readonly output: Promise<unknown>;
  readonly requests: readonly SentRequest[];
  /** The bytes that it held for what bindings answer, in that order. */
  readonly held: readonly number[];
}

/** Run a tool as the executor does, arguments checked first, against the stand-ins of the services it calls. */
export function runTool(tool: Tool, args: unknown, options: RunToolOptions = {}): ToolRun {
  const ctx = new FakeToolContext(tool, {
    answer: options.answer ?? answerFromStandIn,
    secrets: options.secrets ?? SECRETS,
    ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
    ...(options.bindings !== undefined && { bindings: options.bindings }),
    ...(options.tenant !== undefined && { caller: { tenant: options.tenant, key: "tester" } }),
    ...(options.now !== undefined && { now: options.now }),
    ...(options.request !== undefined && { request: options.request }),
  });
  // The output is what a model would read: what JSON keeps of it.
  const run = async (): Promise<unknown> =>
    JSON.parse(JSON.stringify(await tool.run(z.parse(tool.input, args), ctx)));
  return { output: run(), requests: ctx.requests, held: ctx.held };
}

/** How many tokens a model reads: about four characters of JSON each. */
export function countTokens(output: unknown): number {
  return JSON.stringify(output).length / 4;
}

function answerFromStandIn(request: Request): Promise<Response> {
  const answer = routeUpstream(request, INSTANT_PORTS);
  if (answer === null) throw new Error(`Cannot answer: no stand-in for '${request.url}'`);
  return answer;
}
