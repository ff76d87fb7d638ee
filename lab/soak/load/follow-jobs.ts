import { isFinal, LATE_MS } from "../../../test/chaos/collect-evidence.ts";
import type { UpstreamAttempt, WritePath } from "../../../test/chaos/chaos-upstream.ts";
import type { JobEvidence } from "../../../test/chaos/find-violations.ts";
import type { JobView } from "../../../test/chaos/volley-client.ts";
import { pause, type World } from "./world.ts";

/** A job that was called initiated. */
export interface Followed {
  readonly n: number;
  readonly jobId: string;
  readonly key: string;
  readonly once: boolean;
  /** Where its writes arrive; null for a read that was not done in time. */
  readonly path: "/background" | "/global-background" | null;
  readonly callback: boolean;
  /** Somebody asked to call it off. */
  cancelled: boolean;
  record: JobView | null | undefined;
  later: JobView | null | undefined;
}

const EVERY_MS = 600;
const AT_ONCE = 6;
/** After its end nothing of it is under way any more: a call takes at most so long. */
const SETTLED_MS = 2_000 + LATE_MS;
/** A spoiled job may say that it gave up. */
const GIVEN_UP = ["dead", "failed"];

/** Looks at jobs until they are over, and once more a while later: what is over must stay what it is. */
export class JobFollower {
  readonly #world: World;
  readonly #all: Followed[] = [];
  readonly #live = new Set<Followed>();

  constructor(world: World) {
    this.#world = world;
  }

  get followed(): readonly Followed[] {
    return this.#all;
  }

  /** Jobs of which the end is not known yet. */
  get pending(): number {
    return this.#live.size;
  }

  add(job: Omit<Followed, "cancelled" | "record" | "later">): Followed {
    const followed: Followed = { ...job, cancelled: false, record: undefined, later: undefined };
    this.#all.push(followed);
    this.#live.add(followed);
    void this.#follow(followed);
    return followed;
  }

  /** The evidence of every job, with the provider's view of it. */
  evidence(attemptsOf: (n: number, path: WritePath) => readonly UpstreamAttempt[]): JobEvidence[] {
    return this.#all.flatMap((job) => {
      if (job.path === null) return [];
      const attempts = [...attemptsOf(job.n, job.path)];
      const last = attempts.at(-1);
      const gaveUp = last === undefined || last.spoiled === true || last.torn;
      return {
        n: job.n,
        once: job.once,
        jobId: job.jobId,
        record: job.record ?? null,
        later: job.later ?? null,
        attempts,
        mayEnd: [...(job.cancelled ? ["cancelled"] : []), ...(gaveUp ? GIVEN_UP : [])],
      };
    });
  }

  /** How the reads ended that were not done in time. */
  late(): { jobId: string; status: string }[] {
    return this.#all
      .filter(({ path }) => path === null)
      .map(({ jobId, record, later }) => ({
        jobId,
        status: record && isFinal(record) && later?.status === record.status ? record.status : "nothing",
      }));
  }

  async #follow(job: Followed): Promise<void> {
    for (;;) {
      await pause(EVERY_MS + this.#world.int(EVERY_MS));
      if (this.#asking >= AT_ONCE) continue;
      const record = await this.#read(job);
      if (record === undefined) continue;
      job.record = record;
      if (record === null || isFinal(record)) break;
    }
    await pause(SETTLED_MS);
    while (job.record !== null && job.later === undefined) {
      job.later = await this.#read(job);
      if (job.later === undefined) await pause(EVERY_MS);
    }
    this.#live.delete(job);
  }

  #asking = 0;

  async #read({ jobId, key }: Followed): Promise<JobView | null | undefined> {
    this.#asking += 1;
    const answer = await this.#world.ask("job status", `/v1/jobs/${jobId}`, { method: "GET", key });
    this.#asking -= 1;
    if (answer?.status === 404) return null;
    return answer?.status === 200 ? (JSON.parse(answer.text) as JobView) : undefined;
  }
}
