import { setTimeout as sleep } from "node:timers/promises";
import { type Exchange, type Exchanged, exchange } from "../../../test/chaos/volley-client.ts";
import { createCanaryFinder } from "../find-canaries.ts";
import { CANARIES } from "../keys.ts";
import { type Asked, checkEnvelope, type ShownResult } from "./check-envelope.ts";
import type { BrokenRequest, Latency } from "./ledger.ts";
import type { SoakUpstream } from "./soak-upstream.ts";

export interface Action extends Asked {
  readonly args: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface BatchOptions extends Partial<Pick<Exchange, "headers">> {
  readonly key: string;
  readonly fields?: object;
  readonly path?: string;
  /** The follower of a call that became a job; its sender, else the follower of reads that were late. */
  readonly followsItself?: boolean;
}

/** An answer to a batch that was run: its results, which were checked, and what came with them. */
export interface Ran {
  readonly results: readonly ShownResult[];
  readonly answer: Exchanged;
}

/** Codes of answers of 500 and more that the contract has, with their status. */
const ALLOWED = new Set(["503 UNAVAILABLE", "502 MODEL_UNAVAILABLE", "504 MODEL_TIMEOUT"]);
const find = createCanaryFinder(CANARIES);
const MOST_PROBLEMS = 200;
/** A request may not take longer than any deadline and the platform's own patience. */
const TIMEOUT_MS = 30_000;

/**
 * The surroundings of callers: the address they send to, the parts of the answers that they keep, and numbers that no other
 * caller has.
 */
export class World {
  readonly url: string;
  readonly upstream: SoakUpstream;
  readonly random: () => number;
  readonly answers: Record<string, number> = {};
  readonly results: Record<string, number> = {};
  readonly problems: string[] = [];
  readonly broken: BrokenRequest[] = [];
  readonly unavailable: BrokenRequest[] = [];
  /** Sent where they are judged every few seconds. */
  latencies: Latency[] = [];
  /** Told of every read that was not done in time and became a job. */
  onLate: ((jobId: string, key: string) => void) | undefined;
  /** Requests that wait for their answer. */
  underWay = 0;
  /** Callers that stayed away because so many waited. */
  leftOut = 0;
  #last = 0;

  constructor(url: string, upstream: SoakUpstream, random: () => number) {
    this.url = url;
    this.upstream = upstream;
    this.random = random;
  }

  /** The next so many numbers, which are of one block. */
  block(): number {
    this.#last += 100;
    return this.#last;
  }

  int(most: number): number {
    return Math.floor(this.random() * most);
  }

  problem(kind: string, text: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(`${kind}: ${text}`);
  }

  /** Ask anything; null when it broke off. Looks at what every answer must not be. */
  async ask(
    kind: string,
    path: string,
    { timeoutMs = TIMEOUT_MS, ...options }: Exchange,
  ): Promise<Exchanged | null> {
    const from = Date.now();
    const startedAt = performance.now();
    this.underWay += 1;
    const answer = await exchange(`${this.url}${path}`, { timeoutMs, ...options });
    this.underWay -= 1;
    const ms = performance.now() - startedAt;
    if (answer === null) {
      this.broken.push({ kind, from, to: Date.now() });
      return null;
    }
    const { status, text } = answer;
    const code = status >= 400 ? codeOf(text) : "";
    tally(this.answers, `${kind} ${status} ${code}`.trim());
    if (status < 300) this.latencies.push({ kind, at: from, ms });
    if (status >= 500) {
      if (!ALLOWED.has(`${status} ${code}`)) this.problem(kind, `answered ${status} ${text.slice(0, 200)}`);
      if (status === 503) this.unavailable.push({ kind, from, to: Date.now() });
    }
    for (const i of find(`${JSON.stringify(answer.headers)} ${text}`))
      this.problem(kind, `secret ${i} stands in an answer`);
    return answer;
  }

  /** Send a batch; null when it was refused or broke off. */
  async batch(kind: string, actions: readonly Action[], options: BatchOptions): Promise<Ran | null> {
    const { key, fields = { deadline_ms: 3_000 }, headers = {}, path = "/v1/execute_actions" } = options;
    const answer = await this.ask(kind, path, {
      method: "POST",
      key,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ actions, ...fields }),
    });
    if (answer?.status !== 200) return null;
    const results =
      headers["accept"] === "text/event-stream"
        ? this.#readStream(kind, answer.text)
        : readResults(answer.text);
    for (const wrong of checkEnvelope(actions, results)) this.problem(kind, wrong);
    if (options.followsItself !== true)
      for (const { status, job_id: jobId } of results)
        if (status === "initiated" && jobId !== undefined) this.onLate?.(jobId, key);
    for (const { status, error } of results)
      tally(this.results, error === undefined ? status : `${status} ${error.code}`);
    return { results, answer };
  }

  /** Ask for JSON; null when it broke off. */
  async json(
    kind: string,
    method: Exchange["method"],
    path: string,
    options: { key: string; body?: unknown; headers?: Record<string, string> },
  ) {
    const { key, body, headers = {} } = options;
    return this.ask(kind, path, {
      method,
      key,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    });
  }

  /** The results of a stream: each is told once, and `done` has the same ones. */
  #readStream(kind: string, text: string): readonly ShownResult[] {
    const events = [...text.matchAll(/^event: (result|done)\ndata: (.+)$/gm)];
    const told = events
      .filter(([, name]) => name === "result")
      .map(([, , data]) => (JSON.parse(data!) as ShownResult).id);
    const done = events.filter(([, name]) => name === "done");
    if (done.length !== 1 || events.at(-1)?.[1] !== "done")
      this.problem(kind, `a stream with ${done.length} ends`);
    const results = done.length === 0 ? [] : readResults(done[0]![2]!);
    const ids = results.map(({ id }) => id);
    if (told.toSorted().join() !== ids.toSorted().join())
      this.problem(kind, `told ${told.join()}, and in the end ${ids.join()}`);
    return results;
  }
}

export const pause = sleep;

export function tally(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function readResults(text: string): readonly ShownResult[] {
  return (JSON.parse(text) as { results?: readonly ShownResult[] }).results ?? [];
}

/** The code of a problem document, or of an error in a provider's shape. */
function codeOf(text: string): string {
  try {
    const { code, error } = JSON.parse(text) as { code?: string; error?: { code?: string } };
    return code ?? error?.code ?? "";
  } catch {
    return "";
  }
}
