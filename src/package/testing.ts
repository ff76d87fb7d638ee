import type { Tool } from "../core/catalog/define-tool.ts";
import { flagsOf } from "../cloudflare/declared.ts";
import { createVolley } from "../cloudflare/create-volley.ts";
import { type Feature, objectsOf } from "../cloudflare/feature.ts";
import { digestKey } from "../cloudflare/http/key-ring.ts";
import { signText } from "../cloudflare/platform/system-ports.ts";
import { attempt } from "../core/kit/result.ts";
import { sha256 } from "../core/kit/sha256.ts";
import { type Client, createClient, type Envelope } from "./client.ts";
import { createMemoryObjects, type MemoryNamespace } from "./testing/memory-objects.ts";
import { createScriptedUpstream, type Routes, type SentRequest } from "./testing/scripted-upstream.ts";
import { holdForCrypto, VirtualClock } from "./testing/virtual-clock.ts";

export type { Answer, Answering, Routes, SentRequest } from "./testing/scripted-upstream.ts";
export { VirtualClock } from "./testing/virtual-clock.ts";

export interface TestVolleyOptions {
  readonly tools: readonly Tool[];
  /** The Worker's features; none unless said. */
  readonly features?: readonly Feature[];
  /** The answers of the services that the tools call. Nothing else is ever reached. */
  readonly routes?: Routes;
  /** Variables and secrets of the Worker, and its bindings. */
  readonly env?: Readonly<Record<string, unknown>>;
  /** The rights of the caller's key; every tool, and to decide what it asked itself, unless said. */
  readonly key?: {
    readonly tools?: readonly string[];
    readonly quota?: { readonly limit: number; readonly window_s: number };
    readonly flags?: readonly string[];
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
  /** The requests that the tools sent, in that order. */
  readonly requests: readonly SentRequest[];
  /** The lines of the log, as JSON. */
  readonly logs: readonly string[];
  /** Let time pass: jobs are tried again, questions expire. */
  advance(ms: number): Promise<void>;
  /** Take from the objects what they hold in memory: they go on with what they have stored, as after a rest or a restart. */
  evict(): void;
  /** The time, in milliseconds since the epoch. */
  now(): number;
}

const ORIGIN = "https://volley.test";
const KEY = "test-key";

/**
 * Create a Volley of one's own tools for tests, in Node 22.13 or newer. The deployed code keeps its promises of order, retries, jobs,
 * confirmations, quotas and deadlines; only time, chance and the network are not real, so nothing waits and every run is the same.
 *
 * @example
 * const volley = await createTestVolley({
 *   tools: [getExchangeRate],
 *   routes: { "GET https://api.frankfurter.dev/v1/latest": { rates: { EUR: 0.9 } } },
 * });
 * const { results } = await volley.run({ actions: [{ tool: "get_exchange_rate", args: { from: "USD", to: "EUR" } }] });
 */
export async function createTestVolley(options: TestVolleyOptions): Promise<TestVolley> {
  const {
    tools,
    features = [],
    routes = {},
    env: given = {},
    key = {},
    now = new Date("2026-01-01T00:00:00Z"),
  } = options;
  holdForCrypto();
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
    features,
    send: upstream.fetch,
    standIns: {
      clock,
      random: () => 0.5,
      // The form that a seed of ids has to have.
      newId: () => `${(ids += 1).toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`,
      sha256: (text) => Promise.resolve(sha256(text)),
      sign: (secret, text) => clock.outside(signText(secret, text)),
      outside: (work) => clock.outside(work),
      log: (_, json) => void logs.push(json),
    },
  });
  // Who asks may decide what it asked, where something asks.
  const flags = flagsOf(features).filter((flag) => flag === "approve");
  const hash = [...(await digestKey(KEY))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const spaces: MemoryNamespace[] = [];
  const open = (of: Parameters<typeof createMemoryObjects>[0]): MemoryNamespace => {
    const space = createMemoryObjects(of, clock, () => env);
    spaces.push(space);
    return space;
  };
  const env: Record<string, unknown> = {
    // A test that wants lines asks `logs`, or sets the variable.
    VOLLEY_LOG: "off",
    VOLLEY_KEYS: JSON.stringify([{ name: "test", tools: ["*"], flags, ...key, hash }]),
    TENANT_GATE: open(volley.TenantGate),
    TOOL_GATE: open(volley.ToolGate),
    ...Object.fromEntries(
      objectsOf(features).map(([name, { binding }]) => [binding, open(volley[name as "ToolGate"])]),
    ),
    ...given,
  };
  // The platform's own name of a stream that gives what it takes.
  if (typeof IdentityTransformStream === "undefined")
    Object.assign(globalThis, { IdentityTransformStream: TransformStream });
  // Work that goes on after an answer does so while time passes.
  const ctx = {
    waitUntil: (work: Promise<unknown>) => void attempt(() => work),
  } as unknown as ExecutionContext;
  const answer = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${KEY}`, ...Object.fromEntries(new Headers(init.headers)) };
    const request = new Request(new URL(path, ORIGIN), { ...init, headers });
    const response = await volley.app.fetch(request, env, ctx);
    const body = await response.arrayBuffer();
    // Some answers, of deletions, may have no body, not even an empty one.
    return new Response(body.byteLength === 0 ? null : body, {
      status: response.status,
      headers: response.headers,
    });
  };
  // The parser of dates is loaded when it is first used, and no virtual time may pass while it is.
  await import("chrono-node/en");

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
    evict() {
      for (const space of spaces) space.evict();
    },
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
