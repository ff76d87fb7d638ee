import type { Tool } from "../catalog/define-tool.ts";
import { createVolley } from "../edge/create-volley.ts";
import { digestKey } from "../edge/http/key-ring.ts";
import { signText } from "../edge/platform/sign-text.ts";
import { attempt } from "../kit/result.ts";
import { sha256 } from "../kit/sha256.ts";
import { type Client, createClient, type Envelope } from "./client.ts";
import { createMemoryObjects } from "./testing/memory-objects.ts";
import { createScriptedUpstream, type Routes, type SentRequest } from "./testing/scripted-upstream.ts";
import { VirtualClock } from "./testing/virtual-clock.ts";

export type { Answer, Answering, Routes, SentRequest } from "./testing/scripted-upstream.ts";
export { VirtualClock } from "./testing/virtual-clock.ts";

export interface TestVolleyOptions {
  readonly tools: readonly Tool[];
  /** What the services that the tools call answer. Nothing else is ever reached. */
  readonly routes?: Routes;
  /** Variables and secrets of the Worker, and its bindings. */
  readonly env?: Readonly<Record<string, unknown>>;
  /** What the caller's key may do; every tool, and no flags, unless said. */
  readonly key?: {
    readonly tools?: readonly string[];
    readonly quota?: { readonly limit: number; readonly window_s: number };
    readonly flags?: readonly ("skip_approval" | "manage_tools")[];
  };
  /** When it begins; the first of January 2026 unless said. */
  readonly now?: Date;
}

/** A whole Volley in one process: the app and the objects as they are deployed, in virtual time, with a scripted network. */
export interface TestVolley {
  /** Run a batch to its answer. Throws where a tool called what no route is for. */
  run(batch: { readonly actions: readonly object[]; readonly [field: string]: unknown }): Promise<Envelope>;
  /** Everything else that can be asked: jobs, confirmations, plans, streams. */
  readonly client: Client;
  /** Send any request, such as `/v1/tools`; time passes until its answer is whole. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** What the tools sent, in that order. */
  readonly requests: readonly SentRequest[];
  /** The lines of the log, as JSON. */
  readonly logs: readonly string[];
  /** Let time pass: jobs are tried again, questions expire. */
  advance(ms: number): Promise<void>;
  /** What time it is, in milliseconds since the epoch. */
  now(): number;
}

const ORIGIN = "https://volley.test";
const KEY = "test-key";

/** What is loaded when it is first used. Here it is loaded before, because no virtual time may pass while it is. */
const loadEverything = (): Promise<unknown> =>
  Promise.all([
    import("chrono-node/en"),
    import("js-yaml"),
    import("../clock/due-clocks.ts"),
    import("../clock/next-time.ts"),
    import("../edge/http/answer-model-request.ts"),
    import("../edge/http/made-keys.ts"),
    import("../edge/openapi/make-document.ts"),
    import("../edge/triggers/answer-hook.ts"),
    import("../edge/triggers/attempt-run.ts"),
    import("../registry/compile-added-tool.ts"),
    import("../registry/keep-flow.ts"),
    import("../registry/keep-tool.ts"),
    import("../registry/tool-registry.ts"),
  ]);

/**
 * Create a Volley of one's own tools for tests, in Node 22.13 or newer. What it promises of order, retries, jobs, confirmations, quotas
 * and deadlines is kept by the code that is deployed; only time, chance and the network are not real, so nothing waits and every
 * run is the same.
 *
 * @example
 * const volley = await createTestVolley({
 *   tools: [getExchangeRate],
 *   routes: { "GET https://api.frankfurter.dev/v1/latest": { rates: { EUR: 0.9 } } },
 * });
 * const { results } = await volley.run({ actions: [{ tool: "get_exchange_rate", args: { from: "USD", to: "EUR" } }] });
 */
export async function createTestVolley(options: TestVolleyOptions): Promise<TestVolley> {
  const { tools, routes = {}, env: given = {}, key = {}, now = new Date("2026-01-01T00:00:00Z") } = options;
  const clock = new VirtualClock(now.getTime());
  const unknown: Error[] = [];
  const logs: string[] = [];
  const upstream = createScriptedUpstream(routes, {
    sleep: (ms) => clock.sleep(ms),
    onUnknown: (problem) => void unknown.push(problem),
  });
  let ids = 0;
  const volley = createVolley({
    tools,
    send: upstream.fetch,
    standIns: {
      clock,
      random: () => 0.5,
      // Of the form that a seed of ids has to have.
      newId: () => `${(ids += 1).toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`,
      sha256: (text) => Promise.resolve(sha256(text)),
      sign: (secret, text) => clock.outside(signText(secret, text)),
      log: (_, json) => void logs.push(json),
    },
  });
  const hash = [...(await digestKey(KEY))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const env: Record<string, unknown> = {
    VOLLEY_KEYS: JSON.stringify([{ name: "test", tools: ["*"], ...key, hash }]),
    TENANT_GATE: createMemoryObjects(volley.TenantGate, clock, () => env),
    TOOL_GATE: createMemoryObjects(volley.ToolGate, clock, () => env),
    WORKSPACES: createMemoryObjects(volley.Workspace, clock, () => env),
    KEYS: createMemoryObjects(volley.KeyShard, clock, () => env),
    ...given,
  };
  // The platform's own name of a stream that gives what it takes.
  if (typeof IdentityTransformStream === "undefined")
    Object.assign(globalThis, { IdentityTransformStream: TransformStream });
  // What goes on after an answer does so while time passes.
  const ctx = {
    waitUntil: (work: Promise<unknown>) => void attempt(() => work),
  } as unknown as ExecutionContext;
  const answer = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${KEY}`, ...Object.fromEntries(new Headers(init.headers)) };
    const request = new Request(new URL(path, ORIGIN), { ...init, headers });
    const response = await volley.app.fetch(request, env, ctx);
    const body = await response.arrayBuffer();
    return new Response(body, { status: response.status, headers: response.headers });
  };
  await loadEverything();
  // Keys are digested on another thread once, and remembered from then on.
  await answer("/v1/tools");

  const send = (path: string, init?: RequestInit): Promise<Response> => clock.runUntil(answer(path, init));
  const client = createClient({
    url: ORIGIN,
    key: KEY,
    fetch: send,
    sleep: (ms) => clock.advance(ms),
  });
  return {
    client,
    fetch: send,
    requests: upstream.sent,
    logs,
    now: () => clock.now(),
    async run(batch) {
      const envelope = await client.execute(batch as Parameters<Client["execute"]>[0]);
      if (unknown[0] !== undefined) throw unknown[0];
      return envelope;
    },
    async advance(ms) {
      await clock.advance(ms);
      if (unknown[0] !== undefined) throw unknown[0];
    },
  };
}
