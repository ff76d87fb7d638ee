import { type AgentScript, type Bundles, makeAgentContenders, makeAgentRequest } from "./contenders.ts";
import { readCpuMicros, readMachineMicros } from "./cpu-time.ts";
import { runLoad } from "./load.ts";
import { Confounders, rotate, type Running, startAll } from "./measure.ts";
import { startUpstream, type Upstream } from "./start-upstream.ts";
import { quantile } from "./statistics.ts";
import { runStreams } from "./stream-load.ts";

/** How long each of the four things is measured. */
export interface AgentSlices {
  readonly warmupMs: number;
  readonly rounds: number;
  readonly sliceMs: number;
  /** The same where one request is under way at a time. */
  readonly aloneMs: number;
  /** The same for many streams at once. */
  readonly streamRounds: number;
  readonly streamMs: number;
}

/** For each contender a value of each round of the bench; the first is the baseline, the last Volley. */
export type Values = readonly number[][];

/** One kind of request, and what of it was measured. */
export interface AgentSeries<Name extends string> {
  readonly label: string;
  readonly contenders: readonly string[];
  /** The divisor of the time above the baseline. */
  readonly per: number;
  readonly values: Readonly<Record<Name, Values>>;
}

export interface AgentFigures {
  readonly rounds: readonly AgentSeries<"p50" | "p99">[];
  readonly firsts: readonly AgentSeries<"p50" | "p99">[];
  readonly streams: readonly AgentSeries<"p50" | "p99" | "longest" | "stalls" | "tokens" | "cpu">[];
  readonly cpu: readonly AgentSeries<"cpu">[];
  readonly confounders: Confounders;
}

/** A wait of this long is one that a reader sees. */
const STALL_MS = 50;
/** How many streams at once: what one isolate is asked for, and what a bare Worker has time for in JavaScript. */
const STREAMS = [200, 50];

const APIS = ["chat", "messages"] as const;

/**
 * Measure what the agent loop adds to a model and its tools: time, CPU, and waits between tokens, all against a Worker that
 * makes the same fetches and passes the answer on.
 */
export async function measureAgent(
  slices: AgentSlices,
  { bundles, upstream }: { readonly bundles: Bundles; readonly upstream: Upstream },
): Promise<AgentFigures> {
  await using model = await startUpstream("agent-model.ts");
  await using resources = new AsyncDisposableStack();
  const contenders = await startAll(makeAgentContenders(model.url), { bundles, upstream, resources });
  const bench = new Bench(contenders, slices, [upstream.pid, model.pid, process.pid]);
  const figures: { -readonly [K in keyof AgentFigures]: AgentFigures[K] } = {
    rounds: [],
    firsts: [],
    streams: [],
    cpu: [],
    confounders: bench.confounders,
  };
  for (const api of APIS)
    for (const streams of [false, true])
      await bench.warm({ api, streams, rounds: 1, delayMs: 0, tokens: 20, everyMs: 0 });
  for (const api of APIS)
    for (const streams of [false, true])
      for (const rounds of [1, 3]) {
        const label = `${api}, ${streams ? "streamed" : "whole"}, ${rounds} round${rounds === 1 ? "" : "s"} of 3 fetches`;
        const script = { api, streams, rounds, delayMs: 20, tokens: 20, everyMs: 0 };
        figures.rounds = [...figures.rounds, await bench.timeRequests({ label, script, per: rounds })];
      }
  for (const api of APIS) {
    const script = { api, streams: true, rounds: 0, delayMs: 20, tokens: 5, everyMs: 5 };
    figures.firsts = [...figures.firsts, await bench.timeFirsts({ label: api, script, per: 1 })];
  }
  for (const api of APIS)
    for (const count of STREAMS) {
      const script = { api, streams: true, rounds: 0, delayMs: 20, tokens: 75, everyMs: 20 };
      const label = `${count} streams of ${api}`;
      figures.streams = [...figures.streams, await bench.timeStreams({ label, script, per: 1 }, count)];
    }
  for (const api of APIS)
    for (const [what, script] of [
      ["whole, no round", { streams: false, rounds: 0, tokens: 20 }],
      ["whole, 1 round of 3 fetches", { streams: false, rounds: 1, tokens: 20 }],
      ["streamed at once, 20 tokens", { streams: true, rounds: 0, tokens: 20 }],
      ["streamed at once, 1,020 tokens", { streams: true, rounds: 0, tokens: 1_020 }],
    ] as const) {
      const asked = { label: `${api}, ${what}`, script: { api, ...script, delayMs: 0, everyMs: 0 }, per: 1 };
      figures.cpu = [...figures.cpu, await bench.weigh(asked)];
    }
  return figures;
}

interface Asked {
  readonly label: string;
  readonly per: number;
  readonly script: AgentScript;
}

class Bench {
  readonly confounders = new Confounders();
  readonly #all: readonly Running[];
  readonly #slices: AgentSlices;
  readonly #own: readonly number[];

  constructor(all: readonly Running[], slices: AgentSlices, own: readonly number[]) {
    this.#all = all;
    this.#slices = slices;
    this.#own = own;
  }

  /** Load each for a while, so that the code is as warm as in an isolate that has been busy. */
  async warm(script: AgentScript): Promise<void> {
    const request = makeAgentRequest(script);
    for (const { worker } of this.#all)
      await runLoad({ url: worker.url, request, connections: 4, durationMs: this.#slices.warmupMs });
  }

  /** Time whole answers. */
  timeRequests(asked: Asked): Promise<AgentSeries<"p50" | "p99">> {
    return this.#compare(asked, { names: ["p50", "p99"], between: this.#ends }, async (load) => {
      const { latenciesMs, failed } = await runLoad({ ...load, ...this.#alone });
      refuseFailed(asked, failed);
      return { p50: quantile(latenciesMs, 0.5), p99: quantile(latenciesMs, 0.99) };
    });
  }

  timeFirsts(asked: Asked): Promise<AgentSeries<"p50" | "p99">> {
    return this.#compare(asked, { names: ["p50", "p99"], between: this.#ends }, async (load) => {
      const { firstMs, failed } = await runStreams({ ...load, ...this.#alone });
      refuseFailed(asked, failed);
      return { p50: quantile(firstMs, 0.5), p99: quantile(firstMs, 0.99) };
    });
  }

  /** Time every token of many streams at once, and what they cost. */
  timeStreams(
    asked: Asked,
    connections: number,
  ): Promise<AgentSeries<"p50" | "p99" | "longest" | "stalls" | "tokens" | "cpu">> {
    const names = ["p50", "p99", "longest", "stalls", "tokens", "cpu"] as const;
    const compared = { names, between: this.#all, rounds: this.#slices.streamRounds };
    return this.#compare(asked, compared, async (load, { worker }) => {
      const before = readCpuMicros(worker.pid);
      const { tokensMs, requests, failed } = await runStreams({
        ...load,
        connections,
        durationMs: this.#slices.streamMs,
        staggerMs: 500,
      });
      refuseFailed(asked, failed);
      // One whose writing breaks in two is not recognised; they are few.
      if (tokensMs.length < requests * asked.script.tokens * 0.98)
        throw new Error(`Cannot measure ${asked.label}: ${tokensMs.length} tokens of ${requests} streams`);
      return {
        p50: quantile(tokensMs, 0.5),
        p99: quantile(tokensMs, 0.99),
        longest: tokensMs.at(-1)!,
        stalls: tokensMs.length - tokensMs.findLastIndex((ms) => ms <= STALL_MS) - 1,
        tokens: tokensMs.length,
        cpu: (readCpuMicros(worker.pid) - before) / tokensMs.length,
      };
    });
  }

  /** Measure the CPU of a request before a model and tools that take no time. */
  weigh(asked: Asked): Promise<AgentSeries<"cpu">> {
    return this.#compare(asked, { names: ["cpu"], between: this.#all }, async (load, { worker }) => {
      const before = readCpuMicros(worker.pid);
      const { latenciesMs, failed } = await runLoad({ ...load, connections: 8 });
      refuseFailed(asked, failed);
      return { cpu: (readCpuMicros(worker.pid) - before) / latenciesMs.length };
    });
  }

  /** One request at a time: several would begin at the same tick of the model's clock and wait for each other. */
  get #alone(): { readonly connections: number; readonly durationMs: number } {
    return { connections: 1, durationMs: this.#slices.aloneMs };
  }

  /** The baseline and Volley. */
  get #ends(): readonly Running[] {
    return [this.#all[0]!, this.#all.at(-1)!];
  }

  /** Load them in turns, each round beginning with another, after one slice of each to get warm. */
  async #compare<Name extends string>(
    { label, per, script }: Asked,
    { names, between, rounds = this.#slices.rounds }: Compared<Name>,
    measure: (load: Load, contender: Running) => Promise<Readonly<Record<Name, number>>>,
  ): Promise<AgentSeries<Name>> {
    const request = makeAgentRequest(script);
    const values = Object.fromEntries(
      names.map((name) => [name, between.map(() => [])]),
    ) as unknown as Record<Name, number[][]>;
    const loadOf = ({ worker }: Running): Load => ({
      url: worker.url,
      request,
      durationMs: this.#slices.sliceMs,
    });
    for (const contender of between) {
      await verify(contender, script);
      await measure(loadOf(contender), contender);
    }
    for (let round = 0; round < rounds; round += 1)
      for (const contender of rotate(between, round)) {
        const found = await this.#watch(contender, () => measure(loadOf(contender), contender));
        for (const name of names) values[name][between.indexOf(contender)]!.push(found[name]);
      }
    return { label, contenders: between.map((contender) => contender.label), per, values };
  }

  async #watch<T>({ worker }: Running, work: () => Promise<T>): Promise<T> {
    const bench = (): number => this.#own.reduce((sum, pid) => sum + readCpuMicros(pid), 0);
    const before = {
      worker: readCpuMicros(worker.pid),
      machine: readMachineMicros(),
      bench: bench(),
      at: performance.now(),
    };
    const done = await work();
    this.confounders.add({
      worker: readCpuMicros(worker.pid) - before.worker,
      machine: readMachineMicros() - before.machine,
      bench: bench() - before.bench,
      wallMs: performance.now() - before.at,
    });
    return done;
  }
}

interface Compared<Name extends string> {
  readonly names: readonly Name[];
  readonly between: readonly Running[];
  readonly rounds?: number;
}

interface Load {
  readonly url: string;
  readonly request: ReturnType<typeof makeAgentRequest>;
  readonly durationMs: number;
}

function refuseFailed({ label }: Asked, failed: number): void {
  if (failed > 0) throw new Error(`Cannot measure ${label}: ${failed} requests failed`);
}

/** Send one request and throw unless it was answered by the model's last words, after as many rounds as there should be. */
async function verify({ name, worker }: Running, script: AgentScript): Promise<void> {
  const { path, headers, body } = makeAgentRequest(script);
  const response = await fetch(worker.url + path, { method: "POST", headers, body });
  const text = await response.text();
  const isAnswer = script.streams ? text.includes("@") : text.includes("word word");
  const successes = text.split('"status":"success"').length - 1;
  // A stream tells each result when it is known and in the report, which Anthropic's dialect carries in its last delta as well.
  const tellings = !script.streams ? 1 : path.endsWith("/messages") ? 3 : 2;
  const expected = script.rounds * 3 * tellings;
  if (isAnswer && (name !== "volley-agent" || successes === expected)) return;
  throw new Error(
    `Cannot measure ${name}: ${successes} successes instead of ${expected}, in ${response.status} ${text.slice(0, 2_000)}\n${worker.output().slice(-2_000)}`,
  );
}
