import type { ModelServer } from "../../../test/support/model-server.ts";
import { FLOOD_QUOTA } from "../keys.ts";
import type { Evidence, LimitEvidence } from "./ledger.ts";
import { CLOCK_N, type Records } from "./records.ts";
import { BATCH_CAPS, type SoakUpstream, toPassages, toPeaks } from "./soak-upstream.ts";
import type { World } from "./world.ts";

interface Sources {
  readonly world: World;
  readonly records: Records;
  readonly upstream: SoakUpstream;
  readonly model: ModelServer;
  /** Since when, and until when, there was a flow with a clock; since the epoch. */
  readonly clock: { readonly from: number; readonly to: number };
}

const MINUTE_MS = 60_000;
const GLOBAL_CAP = 2;

/** Put together what callers were told and what the provider saw. */
export function collectSoakEvidence({ world, records, upstream, model, clock }: Sources): Evidence {
  const { chaos } = upstream;
  const { answers, results, problems, broken, unavailable } = world;
  const { follower, sentAt, denied } = records;
  const limitOf = (name: string, path: string, rate: { limit: number; windowS: number }): LimitEvidence => ({
    name,
    ...rate,
    passages: toPassages(upstream.arrivals.get(path) ?? [], sentAt),
    denied: denied[name] ?? 0,
  });
  const flooded = [...sentAt].flatMap(([n, sent]) => {
    const arrivedAt = chaos.writtenAt(n);
    return arrivedAt === undefined ? [] : [{ notBefore: sent, notAfter: arrivedAt }];
  });
  const peaks = toPeaks(upstream.calls);
  const five = { limit: 5, windowS: 10 };
  return {
    leftOut: world.leftOut,
    answers,
    results,
    problems: [...problems, ...upstream.problems],
    broken,
    unavailable,
    writes: Array.from(records.writes, ([n, { keyed, told }]) => ({
      n,
      keyed,
      told,
      attempts: [...chaos.attemptsOf(n, keyed ? "/keyed" : "/write")],
    })),
    jobs: follower.evidence((n, path) => chaos.attemptsOf(n, path)),
    late: follower.late(),
    runs: records.runs,
    callbacks: follower.followed
      .filter(({ callback }) => callback)
      .map(({ jobId, record }) => ({
        jobId,
        status: record?.status ?? "nothing",
        delivered: [...(upstream.delivered.get(jobId) ?? [])],
      })),
    questions: records.questions.map((question) => ({
      ...question,
      happened: upstream.deleted.get(question.n) ?? 0,
    })),
    limits: [
      { name: "quota", ...FLOOD_QUOTA, passages: flooded, denied: denied["quota"] ?? 0 },
      limitOf("probe-quota", "/quota", five),
      limitOf("probe-global-rate", "/global-rate", five),
    ],
    caps: [
      { name: "probe-global", cap: GLOBAL_CAP, ...chaos.capped },
      ...Object.entries(BATCH_CAPS).map(([path, cap]) => ({
        name: `probe-${path.slice(1)}`,
        cap,
        peak: peaks.get(path) ?? 0,
        calls: upstream.calls.length,
      })),
    ],
    clock: {
      times: Math.floor(clock.to / MINUTE_MS) - Math.floor(clock.from / MINUTE_MS),
      runs: new Set(chaos.attemptsOf(CLOCK_N, "/keyed").map(({ key }) => key)).size,
    },
    strayed: upstream.strayed(),
    modelProblems: [...model.problems],
    madeKeys: records.madeKeys,
  };
}
