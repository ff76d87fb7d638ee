import { isFinal } from "../collect-evidence.ts";
import { isThere, type Pair, SUBJECT } from "./pair-world.ts";

interface Entry {
  readonly id: string;
  readonly status: string;
}

/** About as long as a run takes to be on record. */
const LATER_MS = 1_200;

/** A run of bookings and jobs, one of which begins about now, is taken back. */
export const undoAndJobs: Pair = {
  name: "undo × jobs",
  async begin(world, n) {
    const at = new Date(Date.now() + LATER_MS).toISOString();
    const { batch_id: run, results } = await world.must("POST", "/v1/execute_actions", {
      subject: SUBJECT,
      actions: [
        { id: "one", tool: "probe-book", args: { n } },
        { id: "two", tool: "probe-book", args: { n: n + 1 } },
        { id: "job", tool: "probe-background", args: { n: n + 2, d: 300 } },
        { id: "later", tool: "probe-background-once", args: { n: n + 3 }, run_at: at },
      ],
    });
    const jobs = (results as readonly { id: string; job_id?: string }[]).slice(2);
    await world.until(isThere, "GET", `/v1/runs/${run}`);
    const undo = `/v1/runs/${run}/undo`;
    const violations: string[] = [];
    let told: readonly Entry[] = [];
    let last: readonly Entry[] = [];
    const ends = new Map<string, string>();
    return {
      ids: [run, ...jobs.map(({ job_id: id }) => id!)],
      async work() {
        const answer = await world.soon("POST", undo, {});
        if (answer?.status === 200) told = answer.body.undone;
      },
      async settle() {
        const isOver = (entries: readonly Entry[]) => entries.every(({ status }) => status !== "initiated");
        last = (
          await world.until(({ status, body }) => status === 200 && isOver(body.undone), "POST", undo, {})
        ).undone;
        for (const { id, job_id: job } of jobs)
          ends.set(id, (await world.until(({ body }) => isFinal(body), "GET", `/v1/jobs/${job}`)).status);
      },
      async judge() {
        const { bookings } = (await (await fetch(`${world.provider.upstream.url}/bookings`)).json()) as {
          readonly bookings: readonly { readonly id: string; readonly n: number; readonly live: boolean }[];
        };
        const mine = bookings.filter((booking) => booking.n === n || booking.n === n + 1);
        if (mine.length !== 2) violations.push(`${mine.length} bookings of two`);
        for (const { id, live } of mine) {
          if (live) violations.push(`${id} stands`);
          const keys = world.sent("/unbook", id).map(({ headers }) => headers["idempotency-key"]);
          if (new Set(keys).size !== 1)
            violations.push(`${id} is taken back under ${new Set(keys).size} keys`);
        }
        for (const [at, { id }] of jobs.entries()) {
          const sent = world.sent("/background", n + 2 + at);
          const entry = last.find((one) => one.id === id)?.status;
          if (new Set(sent.map(({ headers }) => headers["idempotency-key"])).size > 1)
            violations.push(`the job '${id}' was sent under two keys`);
          if (id === "later" && sent.length > 1)
            violations.push(`the job '${id}' was sent ${sent.length} times`);
          if (ends.get(id) === "succeeded" && sent.length === 0)
            violations.push(`the job '${id}' was never sent`);
          if (entry === "cancelled" && sent.length > 0)
            violations.push(`the job '${id}' is said never to have begun, and was sent`);
        }
        for (const { id, status } of told)
          if (status !== "initiated" && last.find((one) => one.id === id)?.status !== status)
            violations.push(`'${id}' was answered as ${status}`);
        return violations;
      },
    };
  },
};
