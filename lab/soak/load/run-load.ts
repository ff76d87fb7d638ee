import { keepFlow, keepHookFlow } from "../../../test/chaos/hook-flow.ts";
import { exchange } from "../../../test/chaos/volley-client.ts";
import { ModelServer } from "../../../test/support/model-server.ts";
import { createRandom } from "../../../test/support/random.ts";
import { KEYS } from "../keys.ts";
import { faultAt, makeSchedule } from "../schedule.ts";
import { ACTORS } from "./actors.ts";
import { collectSoakEvidence } from "./collect-soak-evidence.ts";
import { JobFollower } from "./follow-jobs.ts";
import type { FromLoad, ToLoad } from "./ledger.ts";
import { scriptModel } from "./model-actors.ts";
import { CLOCK_N, type Records, SPARED } from "./records.ts";
import { startSoakUpstream } from "./soak-upstream.ts";
import { pause, World } from "./world.ts";

/*
 * The load: all callers, the model and the provider, in a process of its own, so that measuring does not hold them up. Its parent
 * tells it where to send and when to stop, and is told what became of everything.
 *
 *   node lab/soak/load/run-load.ts <seed> <minutes> <factor of the rates>
 */

/**
 * The most requests of one kind of caller, and of all: on a machine that is too slow for the rates more would only wait for each
 * other.
 */
const MOST_AT_ONCE = 15;
const MOST_OF_ALL = 80;
const TELL_EVERY_MS = 5_000;
/** After the last request everything that was promised has this long to end. */
const QUIET_MS = 100_000;
/** Enough on a busy machine. One that is cut off is taken over when this and the lease are over. */
const RUN_DEADLINE_MS = 10_000;

const [seed = 1, minutes = 1, factor = 1] = process.argv.slice(2).map(Number);
const schedule = makeSchedule({ seed, minutes });
const random = createRandom(seed + 1);
let startedAt = Number.POSITIVE_INFINITY;
const sinceStart = (): number => performance.now() - startedAt;
const fault = () => (startedAt === Number.POSITIVE_INFINITY ? null : faultAt(schedule, sinceStart()));
const once = new Set<number>();

const upstream = await startSoakUpstream({
  fault,
  random: createRandom(seed + 2),
  isSpared: (n) => n >= SPARED,
  isOnce: (n) => once.has(n),
});
const model = await ModelServer.start();
scriptModel(model, fault, createRandom(seed + 3));
const started = Promise.withResolvers<string>();
const stopped = Promise.withResolvers<void>();
process.on("message", (message: ToLoad) => {
  if (message.kind === "start") started.resolve(message.url);
  else stopped.resolve();
});
// The parent process is gone.
process.on("disconnect", () => process.exit(1));
await tell({ kind: "ready", upstreamUrl: upstream.url, modelUrl: model.baseUrl });

const url = await started.promise;
const world = new World(url, upstream, random);
const follower = new JobFollower(world);
world.onLate = (jobId, key) => {
  follower.add({ n: 0, jobId, key, once: false, path: null, callback: false });
};
const records: Records = {
  writes: new Map(),
  follower,
  runs: [],
  questions: [],
  sentAt: new Map(),
  denied: {},
  once,
  madeKeys: [],
};
await keepHookFlow(url, RUN_DEADLINE_MS);
await keepFlow(url, "soak-flow", {
  actions: [
    { id: "one", tool: "probe-echo", args: { n: { $ref: "input#/n" } } },
    { id: "two", tool: "probe-echo", args: { n: { $ref: "one#/n" } } },
  ],
  answer: { $ref: "two#/n" },
});
await keepFlow(url, "soak-clock", {
  actions: [{ id: "keyed", tool: "probe-write-keyed", args: { n: CLOCK_N } }],
  triggers: { cron: "* * * * *" },
});
const clockFrom = Date.now();
startedAt = performance.now();
await tell({ kind: "began", at: Date.now() });

const over = new AbortController();
void stopped.promise.then(() => over.abort());
const telling = setInterval(() => void tellLatencies(), TELL_EVERY_MS);
await Promise.all(ACTORS.map(callAgainAndAgain));
await quiet();
clearInterval(telling);
await tellLatencies();
const clock = { from: clockFrom, to: Date.now() };
await exchange(`${url}/v1/flows/soak-clock`, { method: "DELETE", key: KEYS.admin });
const evidence = collectSoakEvidence({ world, records, upstream, model, clock });
await tell({ kind: "end", evidence });
await upstream[Symbol.asyncDispose]();
await model[Symbol.asyncDispose]();
process.disconnect();

async function callAgainAndAgain({ kind, perS, act }: (typeof ACTORS)[number]): Promise<void> {
  const underWay = new Set<Promise<void>>();
  while (!over.signal.aborted) {
    // As independent callers come: not in step with anything.
    await pause((-Math.log(1 - random()) / (perS * factor)) * 1_000);
    if (over.signal.aborted) break;
    if (underWay.size >= MOST_AT_ONCE || world.underWay >= MOST_OF_ALL) {
      world.leftOut += 1;
      continue;
    }
    const acting = act(world, records)
      .catch((cause: unknown) => world.problem(kind, `a caller threw: ${String(cause).slice(0, 300)}`))
      .finally(() => underWay.delete(acting));
    underWay.add(acting);
  }
  await Promise.all(underWay);
}

/** Wait until what was promised has ended. */
async function quiet(): Promise<void> {
  const endsAt = performance.now() + QUIET_MS;
  const isMissing = (): boolean =>
    follower.pending > 0 ||
    follower.followed.some(({ callback, jobId }) => callback && !upstream.delivered.has(jobId));
  while (isMissing() && performance.now() < endsAt) await pause(200);
}

async function tellLatencies(): Promise<void> {
  const { latencies } = world;
  world.latencies = [];
  await tell({ kind: "latencies", latencies });
}

function tell(message: FromLoad): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send!(message, undefined, {}, (error) => (error === null ? resolve() : reject(error)));
  });
}
