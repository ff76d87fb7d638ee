import { fileURLToPath } from "node:url";
import { buildBundle } from "../support/build-bundle.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startWorkerd, type Workerd } from "../support/workerd.ts";
import type { LoadRequest } from "./load.ts";

/** One system under measurement. It runs for the whole bench, in its own process, against the same upstream. */
export interface Contender {
  readonly name: string;
  /** What the table says about it. */
  readonly label: string;
  start(upstreamUrl: string): Promise<Started>;
  /** A batch of `n` calls of the upstream, each answered after `delayMs`. */
  request(n: number, delayMs: number): LoadRequest;
  /** The `n` that a result carries back from the upstream; used to prove that the work was done. */
  readNumber(result: unknown): unknown;
}

export interface Started {
  readonly worker: Workerd;
  /** Size of what a deployment would upload; absent for a file that was not built. */
  readonly gzipBytes?: number;
}

const bare: Contender = {
  name: "bare",
  label: "(a) bare worker, Promise.all(fetch)",
  start: async (upstreamUrl) => ({
    worker: await startWorkerd({ script: here("bare-worker.js"), vars: { PROBE_ORIGIN: upstreamUrl } }),
  }),
  request: makeBatchRequest,
  readNumber: (result) => (result as { n?: unknown }).n,
};

const honoZod: Contender = {
  ...bare,
  name: "hono-zod",
  label: "(b) hono + zod, Promise.all(fetch)",
  start: async (upstreamUrl) => {
    await using bundle = await buildBundle({ entry: here("hono-zod-worker.ts") });
    const worker = await startWorkerd({ script: bundle.path, vars: { PROBE_ORIGIN: upstreamUrl } });
    return { worker, gzipBytes: bundle.gzipBytes };
  },
};

const bareObject: Contender = {
  ...bare,
  name: "bare-object",
  label: "(c) bare + one Durable Object call",
  start: async (upstreamUrl) => ({
    worker: await startWorkerd({
      script: here("bare-object-worker.js"),
      vars: { PROBE_ORIGIN: upstreamUrl },
      durableObjects: { GATE: "Gate" },
    }),
  }),
};

const volley: Contender = {
  ...bare,
  name: "volley",
  label: "Volley",
  start: async (upstreamUrl) => {
    // The size is that of what deploys; what runs is the same code with the sandbox's keys and probe tools.
    await using deployed = await buildBundle({ config: "wrangler.jsonc" });
    // The baselines have no six header slots to wait for in raw workerd, so Volley may not wait for its own.
    const vars = { PROBE_ORIGIN: upstreamUrl, VOLLEY_HEADER_SLOTS: "unlimited" };
    return { worker: await startSandbox({ vars }), gzipBytes: deployed.gzipBytes };
  },
  readNumber: (result) => (result as { data?: { n?: unknown } }).data?.n,
};

const volleyWithJob: Contender = {
  ...volley,
  name: "volley-job",
  label: "Volley, one call in the background",
  async start(upstreamUrl) {
    const { worker } = await volley.start(upstreamUrl);
    return { worker };
  },
  request(n, delayMs) {
    const plain = makeBatchRequest(n, delayMs);
    const { actions } = JSON.parse(plain.body) as { actions: { tool: string }[] };
    actions[n - 1]!.tool = "probe-background";
    return { ...plain, body: JSON.stringify({ actions }) };
  },
  readNumber: (result) =>
    (result as { status?: unknown }).status === "initiated"
      ? (result as { index: unknown }).index
      : volley.readNumber(result),
};

/** Everything the bench measures. The first is what the others are compared with. */
export const CONTENDERS: readonly Contender[] = [bare, honoZod, bareObject, volley, volleyWithJob];

/** The name of the contender that the targets are about. */
export const SUBJECT = "volley";
export const SUBJECT_WITH_JOB = "volley-job";

/** Make the request that Volley and every baseline understand. */
export function makeBatchRequest(n: number, delayMs: number): LoadRequest {
  const args = (i: number): object => (delayMs > 0 ? { n: i, d: delayMs } : { n: i });
  const actions = Array.from({ length: n }, (_, i) => ({ tool: "probe-echo", args: args(i) }));
  return {
    path: "/v1/execute_actions",
    headers: { "content-type": "application/json", authorization: "Bearer sandbox-key" },
    body: JSON.stringify({ actions }),
  };
}

function here(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
