import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
import { type Bundle, buildBundle, type BundleSource } from "../../test/support/build-bundle.ts";
import type { WorkerdOptions } from "../../test/support/workerd.ts";
import type { LoadRequest } from "./load.ts";

/** One system under measurement: what is built, how it runs, and what it is sent. */
export interface Contender {
  readonly name: string;
  /** The label of it in the table. */
  readonly label: string;
  readonly source: BundleSource;
  readonly setup?: Omit<WorkerdOptions, "script">;
  /** The tool of a batch's last action, where it is not the others'. */
  readonly lastTool?: string;
  /** The `n` that a result carries back from the upstream; used to prove that the work was done. */
  readNumber(result: unknown): unknown;
}

export const BENCH_KEY = "bench-key";
/** More than a run of the bench uses, and what a busy key has. */
const QUOTA = { limit: 100_000, window_s: 60 };

const bare: Contender = {
  name: "bare",
  label: "(a) bare worker, Promise.all(fetch)",
  source: { entry: here("bare-worker.js") },
  readNumber: (result) => (result as { n?: unknown }).n,
};

const bareObject: Contender = {
  ...bare,
  name: "bare-object",
  label: "(c) bare + one object call",
  source: { entry: here("bare-object-worker.js") },
  setup: { durableObjects: { GATE: "Gate" }, vars: { WRITES: "nothing" } },
};

/** Volley as it is deployed. */
export const VOLLEY: Contender = {
  name: "volley",
  label: "Volley",
  source: { config: here("wrangler.toml") },
  setup: {
    durableObjects: {
      TENANT_GATE: "TenantGate",
      TOOL_GATE: "ToolGate",
      RUNS: "RunLog",
      OPERATOR: "OperatorLog",
      ENDPOINTS: "EndpointDirectory",
      ENDPOINT_SHARDS: "EndpointShard",
      CONNECTIONS: "ConnectionShard",
    },
    compatibilityFlags: ["enable_request_signal", "global_fetch_strictly_public"],
    vars: { VOLLEY_KEYS: JSON.stringify([await makeKey("bench", BENCH_KEY)]) },
  },
  // A background action is answered before it has called anybody.
  readNumber: (result) => {
    const { status, index, data } = result as { status: string; index: number; data?: { n?: unknown } };
    return status === "initiated" ? index : data?.n;
  },
};

/** The contenders for every size of batch. The first is what the others are compared with. */
export const CONTENDERS: readonly Contender[] = [
  bare,
  {
    ...bare,
    name: "hono-zod",
    label: "(b) hono + zod, Promise.all(fetch)",
    source: { entry: here("hono-zod-worker.ts") },
  },
  bareObject,
  { ...bareObject, name: "bare-row", label: "(d) bare + one row written", setup: writing("row") },
  VOLLEY,
];

/** The same as they are on Cloudflare, where six fetches of a request at a time wait for headers, and without that. */
export const BEHIND_SLOTS: readonly Contender[] = CONTENDERS.map(behindSlots);
export const WITHOUT_SLOTS: readonly Contender[] = CONTENDERS.map(withoutSlots);

/** One call of the batch in the background, recorded before it is promised: an insert, and an update when it ends. */
export const WITH_JOB: readonly Contender[] = [
  bare,
  { ...bareObject, name: "bare-job", label: "(e) bare, one call recorded", setup: writing("job") },
  { ...VOLLEY, name: "volley-job", label: "Volley, one in background", lastTool: "bench-background" },
];

export const WITH_JOB_BEHIND_SLOTS: readonly Contender[] = WITH_JOB.map(behindSlots);

/**
 * Each kind of Volley beside the baseline whose fetches wait for the same things: on Cloudflare six at a time wait for
 * headers, in raw workerd all of them.
 */
export const FOR_LATENCY: readonly Contender[] = [
  bare,
  withVars(
    VOLLEY,
    { name: "volley-unlimited", label: "Volley, no slots" },
    { VOLLEY_HEADER_SLOTS: "unlimited" },
  ),
  withVars(bare, { name: "bare-slots", label: "(a) behind six header slots" }, { HEADER_SLOTS: "6" }),
  { ...VOLLEY, label: "Volley, its six slots" },
];

/** Core with one tool, and no feature. */
export const VOLLEY_CORE: Contender = {
  ...VOLLEY,
  name: "volley-core",
  label: "Volley, core with one tool",
  source: { config: here("core.wrangler.toml") },
  setup: {
    ...VOLLEY.setup,
    durableObjects: { TENANT_GATE: "TenantGate", TOOL_GATE: "ToolGate" },
    vars: { VOLLEY_KEYS: JSON.stringify([await makeKey("bench", BENCH_KEY, [])]) },
  },
};

/** The Worker that a careful engineer writes for the same task. */
const byHand: Contender = {
  ...bare,
  name: "by-hand",
  label: "(h) written by hand",
  source: { entry: here("../peers/on-workerd/by-hand-worker.ts") },
  setup: { durableObjects: { LIMITER: "Limiter" } },
  readNumber: (result) => (result as { data?: { n?: unknown } }).data?.n,
};

/** The row of each call is written before its answer, and updated when the call has ended. */
const recorded: Contender = {
  ...bareObject,
  name: "recorded",
  label: "(i) written by hand, in the background",
  source: { entry: here("../peers/on-workerd/bare-recorded-worker.ts") },
};

/** One background action: by hand, and with every feature. */
export const IN_BACKGROUND: readonly Contender[] = [
  recorded,
  { ...recorded, name: "recorded-again" },
  { ...VOLLEY, name: "volley-background", lastTool: "bench-background" },
];

/** The bare Worker twice, which shows how far two equal processes are apart, and the Worker written by hand. */
export const BY_HAND: readonly Contender[] = [bare, { ...bare, name: "bare-again" }, byHand].map(behindSlots);

/** The Worker for the same task that a path names: a file is it, and a folder is a checkout whose core it is. */
export function otherAt(path: string): Contender {
  if (/\.m?[jt]s$/.test(path)) return { ...byHand, name: "other", source: { entry: path } };
  return { ...VOLLEY_CORE, name: "other", source: { config: join(path, "lab/bench/core.wrangler.toml") } };
}

/** The contenders whose starts are compared, the first request included. */
export const FOR_START_UP: readonly Contender[] = [
  ...CONTENDERS.filter(({ name }) => ["bare", "hono-zod"].includes(name)),
  VOLLEY_CORE,
  { ...VOLLEY, label: "Volley, all features and tools" },
];

/** A Worker that passes a model's answers on, as it is and with JavaScript between, and Volley, before the same model. */
export function makeAgentContenders(modelUrl: string): readonly Contender[] {
  const source = { entry: here("bare-agent-worker.js") };
  const setup = { compatibilityFlags: ["enable_request_signal"], vars: { MODEL_ORIGIN: modelUrl } };
  const passing = { ...bare, name: "bare-agent", label: "(f) bare, piping the answer", source, setup };
  return [
    passing,
    withVars(passing, { name: "bare-reader", label: "(g) bare, reading it in JavaScript" }, { READS: "yes" }),
    withVars(
      VOLLEY,
      { name: "volley-agent", label: "Volley" },
      { LLM_BASE_URL: `${modelUrl}/v1`, ANTHROPIC_BASE_URL: modelUrl },
    ),
  ];
}

/** Volley with its calls of Durable Objects counted. */
export const COUNTING: Contender = {
  ...VOLLEY,
  name: "volley-counted",
  source: { entry: here("gate-calls-worker.ts") },
};

/** Make the request that Volley and every baseline understand, of `n` calls that are answered after `delayMs`. */
export function makeBatchRequest({ lastTool }: Contender, n: number, delayMs: number): LoadRequest {
  const actions = Array.from({ length: n }, (_, i) => ({
    tool: i === n - 1 && lastTool !== undefined ? lastTool : "bench-echo",
    args: delayMs > 0 ? { n: i, d: delayMs } : { n: i },
  }));
  return {
    path: "/v1/execute_actions",
    headers: { "content-type": "application/json", authorization: `Bearer ${BENCH_KEY}` },
    body: JSON.stringify({ actions }),
  };
}

/** The script of a model, and through which of its APIs it speaks. */
export interface AgentScript {
  readonly api: "chat" | "messages";
  readonly streams: boolean;
  readonly rounds: number;
  /** The delay of the model and of each tool. */
  readonly delayMs: number;
  readonly tokens: number;
  readonly everyMs: number;
}

/** Make a request to a model whose name is its script; see `agent-model.ts`. */
export function makeAgentRequest({
  api,
  streams,
  rounds,
  delayMs,
  tokens,
  everyMs,
}: AgentScript): LoadRequest {
  return {
    path: api === "chat" ? "/v1/chat/completions" : "/v1/messages",
    headers: { "content-type": "application/json", authorization: `Bearer ${BENCH_KEY}` },
    body: JSON.stringify({
      model: `r${rounds}c${CALLS}d${delayMs}t${tokens}e${everyMs}`,
      ...(streams && { stream: true }),
      ...(api === "messages" && { max_tokens: 1_000 }),
      messages: [{ role: "user", content: "What is the weather in Phoenix, Tempe and Mesa?" }],
    }),
  };
}

/** Calls of one round. */
const CALLS = 3;

/** Builds each source once, however many contenders run it. */
export class Bundles implements AsyncDisposable {
  readonly #built = new Map<string, Promise<Bundle>>();

  get(source: BundleSource): Promise<Bundle> {
    const name = source.config ?? source.entry ?? "";
    const built = this.#built.get(name) ?? buildBundle(source);
    this.#built.set(name, built);
    return built;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const built of this.#built.values()) await (await built)[Symbol.asyncDispose]();
  }
}

async function makeKey(
  name: string,
  key: string,
  flags: readonly string[] = ["manage_tools"],
): Promise<object> {
  const hash = Buffer.from(await digestKey(key)).toString("hex");
  return { name, hash, tools: ["*"], quota: QUOTA, flags };
}

function writing(what: string): Omit<WorkerdOptions, "script"> {
  return { ...bareObject.setup, vars: { WRITES: what } };
}

function behindSlots(contender: Contender): Contender {
  return contender.name.startsWith("bare") || contender.name === "hono-zod"
    ? withVars(contender, contender, { HEADER_SLOTS: "6" })
    : contender;
}

function withoutSlots(contender: Contender): Contender {
  return contender.source === VOLLEY.source
    ? withVars(contender, contender, { VOLLEY_HEADER_SLOTS: "unlimited" })
    : contender;
}

function withVars(
  contender: Contender,
  named: Pick<Contender, "name" | "label">,
  vars: Readonly<Record<string, string>>,
): Contender {
  const { setup } = contender;
  return { ...contender, ...named, setup: { ...setup, vars: { ...setup?.vars, ...vars } } };
}

function here(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
