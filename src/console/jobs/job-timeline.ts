import type { WireJob } from "../kit/wire.ts";
import { count } from "../parts/count.ts";
import { sayDuration } from "../parts/say-duration.ts";
import { isAlive } from "./job-filter.ts";

/** Something that happened to a job, or will. */
export interface Moment {
  readonly what: string;
  readonly at: string | null;
  /** As `toneOf` names colours. */
  readonly tone: "ok" | "bad" | "going" | "wait" | "odd" | "idle";
}

const ENDS: Readonly<Record<string, Pick<Moment, "what" | "tone">>> = {
  succeeded: { what: "Succeeded", tone: "ok" },
  failed: { what: "Failed, and another attempt would not help", tone: "bad" },
  dead: { what: "Gave up: every attempt failed", tone: "bad" },
  cancelled: { what: "Cancelled", tone: "idle" },
  unknown: { what: "Lost after it was sent: it may have happened", tone: "odd" },
};

/** Tell a job's life from what is known of it: attempts that its `tries` do not have any more have no times. */
export function tellJob(job: WireJob): readonly Moment[] {
  const { status, attempts, created_at: created, updated_at: updated, next_attempt_at: next, callback } = job;
  const end = ENDS[status];
  const tries = job.tries.filter(({ code }) => code !== undefined);
  const failed = attempts - (status === "running" || status === "succeeded" ? 1 : 0) - tries.length;
  const moments: Moment[] = [{ what: `Created${sayOrigin(job)}`, at: created, tone: "idle" }];
  if (failed > 0 && status !== "cancelled" && status !== "unknown")
    moments.push({ what: `${count(failed, "attempt")} failed`, at: null, tone: "bad" });
  moments.push(...tries.map(tellTry));
  if (status === "running" && attempts > 0)
    moments.push({ what: `Attempt ${attempts} runs`, at: updated, tone: "going" });
  if (isAlive(job) && next !== null)
    moments.push({
      what: `Due next: attempt ${status === "running" && attempts > 0 ? `${attempts + 1}, if this one is lost` : attempts + 1}`,
      at: next,
      tone: "wait",
    });
  if (end !== undefined) {
    const { duration_ms: ran } = job;
    const took = ran === undefined ? "" : `, ${sayDuration(ran)} after it could begin`;
    const when = ran === 0 && attempts === 0 ? " before it could begin" : took;
    moments.push({ what: `${end.what}${when}`, at: updated, tone: end.tone });
  }
  if (callback !== undefined) moments.push(tellCallback(callback));
  return moments;
}

function tellTry({ at, duration_ms, code, upstream_status }: WireJob["tries"][number]): Moment {
  const answered = upstream_status === undefined ? "" : `, answered ${upstream_status}`;
  return {
    what: `Attempt failed with ${code} after ${sayDuration(duration_ms)}${answered}`,
    at,
    tone: "bad",
  };
}

function sayOrigin({ trigger, key }: WireJob): string {
  if (trigger === "webhook") return " by a webhook";
  if (trigger === "cron") return " by its schedule";
  return key === undefined ? "" : ` by ${key}`;
}

function tellCallback(callback: NonNullable<WireJob["callback"]>): Moment {
  const { status, attempts, last_status: last, next_attempt_at: next } = callback;
  const answered = last === null ? "" : `, last answered ${last}`;
  const what = `Callback ${status.replaceAll("_", " ")} after ${count(attempts, "attempt")}${answered}`;
  const isGivenUp = next === null && attempts > 0;
  return { what, at: next, tone: status === "delivered" ? "ok" : isGivenUp ? "bad" : "wait" };
}
