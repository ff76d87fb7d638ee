/**
 * CPU of a batch, finely enough to see a step of two in a hundred.
 *
 * - Every contender runs in two processes: two processes of one build differ by some per cent, and that is shown.
 * - The processes take turns. A turn is a slice: a fixed number of batches, about 25 ms of work, over connections that stay open.
 * - CPU is that of all threads of the process from one of its turns to its next, so that work after an answer counts as well. Slices
 *   in which something else got in the way cost more, never less: the mean is of those between the 5th and the 70th percentile.
 */
import { Connections } from "./connections.ts";
import { type Bundles, type Contender, makeBatchRequest } from "./contenders.ts";
import { readCpuMicros, readMachineMicros } from "./cpu-time.ts";
import { makeRequestBytes } from "./load.ts";
import { Confounders, rotate, type Running, startAll, verify } from "./measure.ts";
import { trimmedMean } from "./statistics.ts";
import type { Upstream } from "./start-upstream.ts";

export interface RigOptions {
  /** Processes of each contender. */
  readonly processes: number;
  readonly connections: number;
  /** Turns of each process at one size of batch. */
  readonly rounds: number;
  /** Turns before those that count, at the first size of batch, while V8 compiles, and at each later one. */
  readonly compileRounds: number;
  readonly warmUpRounds: number;
}

/** The CPU of one batch of a contender, in microseconds: of each of its processes. */
export interface BatchCpu {
  readonly label: string;
  readonly micros: readonly number[];
}

/** Between the slice of one process and that of the next: the last answers' work ends. */
export const PAUSE_MS = 1;
/** The slices whose CPU is the mean's: cheaper ones missed a part of their work, dearer ones had other work between. */
export const KEPT = { from: 0.05, to: 0.7 };

/** Contenders in kinds, each in processes that run as long as the rig. */
export class Rig<Kind extends string> implements AsyncDisposable {
  readonly #running: ReadonlyMap<Kind, readonly Running[]>;
  readonly #resources: AsyncDisposableStack;
  readonly #options: RigOptions;
  readonly #upstream: Upstream;
  readonly #confounders = new Confounders();
  #isCompiled = false;

  private constructor(
    running: ReadonlyMap<Kind, readonly Running[]>,
    resources: AsyncDisposableStack,
    options: RigOptions,
    upstream: Upstream,
  ) {
    this.#running = running;
    this.#resources = resources;
    this.#options = options;
    this.#upstream = upstream;
  }

  static async start<Kind extends string>(
    kinds: Readonly<Record<Kind, readonly Contender[]>>,
    options: RigOptions,
    { bundles, upstream }: { readonly bundles: Bundles; readonly upstream: Upstream },
  ): Promise<Rig<Kind>> {
    const resources = new AsyncDisposableStack();
    const running = new Map<Kind, readonly Running[]>();
    for (const [kind, contenders] of Object.entries(kinds) as [Kind, readonly Contender[]][]) {
      const twice = contenders.flatMap((contender) => Array<Contender>(options.processes).fill(contender));
      running.set(kind, await startAll(twice, { bundles, upstream, resources }));
    }
    return new Rig(running, resources, options, upstream);
  }

  /** Measure all contenders at one size of batch; each answer of the first batch is looked at. */
  async measure(n: number): Promise<Readonly<Record<Kind, readonly BatchCpu[]>>> {
    const { connections, rounds, compileRounds, warmUpRounds } = this.#options;
    using opened = new DisposableStack();
    const turns: Turn[] = [];
    for (const contender of [...this.#running.values()].flat()) {
      await verify(contender, n);
      turns.push(
        new Turn(contender, n, opened.use(await Connections.open(contender.worker.url, connections))),
      );
    }
    const batches = batchesOfSlice(n, connections);
    const before = this.#isCompiled ? warmUpRounds : compileRounds;
    for (let round = 0; round < before; round += 1) for (const turn of turns) await turn.send(batches);
    this.#isCompiled = true;
    const began = this.#readCpu();
    for (const turn of turns) turn.begin();
    for (let round = 0; round < rounds; round += 1)
      for (const turn of rotate(turns, round)) {
        await turn.send(batches);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        turn.count(batches);
      }
    const ended = this.#readCpu();
    this.#confounders.add({
      worker: turns.reduce((sum, turn) => sum + turn.spent, 0),
      machine: ended.machine - began.machine,
      bench: ended.bench - began.bench,
      wallMs: ended.at - began.at,
    });
    const kinds = [...this.#running].map(([kind, running]) => [kind, meansOf(running, turns)] as const);
    return Object.fromEntries(kinds) as Record<Kind, readonly BatchCpu[]>;
  }

  /** Say the other users of the machine meanwhile. */
  sayOthers(): string {
    const { processes, rounds, connections } = this.#options;
    const { benchCpus, otherCpus } = this.#confounders;
    return (
      `${processes} processes of each, ${rounds} turns, ${connections} connections that stay open. CPUs used meanwhile by the ` +
      `upstream and the load: ${benchCpus.toFixed(2)}; by everything else on this machine: ${otherCpus.toFixed(2)}`
    );
  }

  #readCpu(): { readonly machine: number; readonly bench: number; readonly at: number } {
    const bench = readCpuMicros(this.#upstream.pid) + readCpuMicros(process.pid);
    return { machine: readMachineMicros(), bench, at: performance.now() };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

/** A row for each contender; its processes stand behind each other. */
function meansOf(running: readonly Running[], turns: readonly Turn[]): readonly BatchCpu[] {
  const byName = Map.groupBy(running, ({ name }) => name);
  return [...byName.values()].map((processes) => ({
    label: processes[0]!.label,
    micros: processes.map((one) => {
      const turn = turns.find(({ contender }) => contender === one)!;
      return trimmedMean(turn.micros, KEPT);
    }),
  }));
}

/** About 25 ms of work of a bare Worker, and at least one batch for every connection. */
export function batchesOfSlice(n: number, connections: number): number {
  return Math.max(connections, Math.round(180 / (n + 1)));
}

/** The turns of one process. */
class Turn {
  readonly contender: Running;
  /** CPU of a batch, a value for each slice. */
  readonly micros: number[] = [];
  /** CPU of all slices. */
  spent = 0;
  readonly #connections: Connections;
  readonly #requests: readonly Buffer[];
  #cpuBefore = 0;

  constructor(contender: Running, n: number, connections: Connections) {
    this.contender = contender;
    this.#connections = connections;
    const { host } = new URL(contender.worker.url);
    this.#requests = [makeRequestBytes(host, makeBatchRequest(contender, n, 0))];
  }

  begin(): void {
    this.#cpuBefore = readCpuMicros(this.contender.worker.pid);
  }

  async send(batches: number): Promise<void> {
    const { failed, missing } = await this.#connections.send({ requests: this.#requests, times: batches });
    if (failed + missing > 0)
      throw new Error(
        `Cannot measure ${this.contender.name}: ${failed} batches failed, ${missing} got no answer`,
      );
  }

  count(batches: number): void {
    const cpu = readCpuMicros(this.contender.worker.pid);
    const spent = cpu - this.#cpuBefore;
    this.micros.push(spent / batches);
    this.spent += spent;
    this.#cpuBefore = cpu;
  }
}
