import { BENCH_KEY } from "../bench/contenders.ts";
import type { LoadRequest } from "../bench/load.ts";
import type { BundleSource } from "../../test/support/build-bundle.ts";
import type { WorkerdOptions } from "../../test/support/workerd.ts";

/** One way to run a batch of calls: what is started, what it is sent, and how its answers are read. */
export interface Contestant {
  readonly name: string;
  /** The label of it in the tables. */
  readonly label: string;
  readonly runs: OnWorkerd | OnNode;
  /** Give it what it needs before batches of `n` calls. */
  readonly prepare?: (server: string, upstream: string, n: number) => Promise<void>;
  /** Make a batch of `n` calls, whose results are to carry the numbers from `first` on, in their order. */
  readonly makeRequest: (n: number, first: number) => LoadRequest;
  /** The number that a result carries; anything else where it carries none. */
  readonly readNumber: (result: unknown, first: number) => unknown;
  /** Its calls are made after the answer: a batch is over when the upstream has had all of them. */
  readonly inBackground?: true;
}

export interface OnWorkerd {
  readonly on: "workerd";
  readonly source: BundleSource;
  readonly setup?: Omit<WorkerdOptions, "script" | "wasm"> | undefined;
}

export interface OnNode {
  readonly on: "node";
  readonly file: string;
}

/** The call that a runner of tools takes: a tool's name, and its arguments. */
export interface Action {
  readonly id?: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Make a batch of `n` actions, as Volley takes it and every other contestant understands it. */
export function makeBatch(n: number, action: (i: number) => Action): LoadRequest {
  return makePost("/v1/execute_actions", { actions: Array.from({ length: n }, (_, i) => action(i)) });
}

export function makePost(path: string, body: unknown): LoadRequest {
  const headers = { "content-type": "application/json", authorization: `Bearer ${BENCH_KEY}` };
  return { path, headers, body: JSON.stringify(body) };
}

/** The request to all who take calls as they are, and how most of them answer. */
export const PLAIN: Pick<Contestant, "makeRequest" | "readNumber"> = {
  makeRequest: (n, first) => makeBatch(n, (i) => ({ tool: "bench-echo", args: { n: first + i } })),
  readNumber: (result) => (result as { readonly n?: unknown } | null)?.n,
};
