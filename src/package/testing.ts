import type { Tool } from "../core/catalog/define-tool.ts";
import { createVolley, type Volley } from "../cloudflare/create-volley.ts";
import type { Feature } from "../cloudflare/feature.ts";
import { digestKey } from "../cloudflare/http/key-ring.ts";
import { signText } from "../cloudflare/platform/sign-text.ts";
import type { connections } from "../features/connections/index.ts";
import type { endpoints } from "../features/endpoints/index.ts";
import type { keys } from "../features/keys/index.ts";
import type { operator } from "../features/operator/index.ts";
import type { runs } from "../features/runs/index.ts";
import type { signIn } from "../features/sign-in/index.ts";
import type { workspace } from "../features/workspace/index.ts";
import { attempt } from "../core/kit/result.ts";
import { sha256 } from "../core/kit/sha256.ts";
import { type Client, createClient, type Envelope } from "./client.ts";
import { createMemoryObjects, type MemoryNamespace } from "./testing/memory-objects.ts";
import { createScriptedUpstream, type Routes, type SentRequest } from "./testing/scripted-upstream.ts";
import { VirtualClock } from "./testing/virtual-clock.ts";

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

/** The classes that features may bring. */
type Objects = Volley<
  [
    ReturnType<typeof connections>,
    ReturnType<typeof endpoints>,
    ReturnType<typeof keys>,
    ReturnType<typeof operator>,
    ReturnType<typeof runs>,
    ReturnType<typeof signIn>,
    ReturnType<typeof workspace>,
  ]
>;

const ORIGIN = "https://volley.test";
const KEY = "test-key";

/**
 * Load the modules that are loaded when they are first used. Here it is loaded before, because no virtual time may pass while it
 * is.
 */
const loadEverything = (): Promise<unknown> =>
  Promise.all([
    import("chrono-node/en"),
    import("js-yaml"),
    import("../features/added-tools/declared/pattern-work.ts"),
    import("../features/flows/clock/due-clocks.ts"),
    import("../features/flows/clock/next-time.ts"),
    import("../features/agent/http/answer-model-request.ts"),
    import("../features/agent/http/find-server.ts"),
    import("../features/responses/dialect/responses-dialect.ts"),
    import("../features/models/http/ask-server.ts"),
    import("../features/models/http/ask-server.ts"),
    import("../features/keys/http/made-keys.ts"),
    import("../cloudflare/http/stream-text.ts"),
    import("../features/document/make-document.ts"),
    import("../features/confirmations/http/answer-link.ts"),
    import("../cloudflare/page/respond-page.ts"),
    import("../cloudflare/page/respond-flood.ts"),
    import("../features/connections/http/answer-link.ts"),
    import("../features/connections/http/lead-on-form.ts"),
    import("../features/connections/http/answer-signed-in.ts"),
    import("../features/connections/http/run-awaiting.ts"),
    import("../features/connections/page/link-page.ts"),
    import("../features/flows/http/answer-hook.ts"),
    import("../features/flows/http/attempt-run.ts"),
    import("../features/background/http/attempt-batch.ts"),
    import("../features/added-tools/compile-added-tool.ts"),
    import("../features/flows/declaration/flow-tool.ts"),
    import("../features/flows/keep-flow.ts"),
    import("../features/endpoints/http/run-via.ts"),
    import("../features/added-tools/json-schema/check-schema.ts"),
    import("../features/added-tools/json-schema/to-input.ts"),
    import("../features/added-tools/keep-tool.ts"),
    import("../features/added-tools/declared/parse-declaration.ts"),
    import("../features/added-tools/mcp/list-server.ts"),
    import("../features/added-tools/mcp/to-mcp-declarations.ts"),
    import("../features/imports/openapi/read-document.ts"),
    import("../features/imports/openapi/to-declarations.ts"),
    import("../features/added-tools/tool-registry.ts"),
    import("../features/sign-in/http/issuer.ts"),
    // The library below these asks for a module of the platform, which plain Node has not: a program cannot sign in there.
    attempt(() => import("../features/sign-in/http/authorize.ts")),
    attempt(() => import("../features/sign-in/http/oauth-door.ts")),
    attempt(() => import("../features/sign-in/http/oauth-server.ts")),
  ]);

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
  const flags: readonly string[] = features.some(({ name }) => name === "confirmations") ? ["approve"] : [];
  const {
    ConnectionShard,
    EndpointDirectory,
    EndpointShard,
    KeyShard,
    OperatorLog,
    RunLog,
    SignInStore,
    Workspace,
  } = volley as Partial<Objects>;
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
    ...(Workspace && { WORKSPACES: open(Workspace) }),
    ...(RunLog && { RUNS: open(RunLog) }),
    ...(OperatorLog && { OPERATOR: open(OperatorLog) }),
    ...(ConnectionShard && { CONNECTIONS: open(ConnectionShard) }),
    ...(EndpointDirectory && { ENDPOINTS: open(EndpointDirectory) }),
    ...(EndpointShard && { ENDPOINT_SHARDS: open(EndpointShard) }),
    ...(SignInStore && { SIGN_INS: open(SignInStore) }),
    ...(KeyShard && { KEYS: open(KeyShard) }),
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
  await loadEverything();
  // Keys are digested on another thread once, and remembered from then on.
  await answer("/v1/jobs");

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
