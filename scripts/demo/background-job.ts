import { shorten } from "./print.ts";
import type { Job, VolleyClient } from "./volley-client.ts";

const PATIENCE_MS = 10_000;

/** Follow a job until it has ended, and print every state it is seen in. */
export async function showJob(client: VolleyClient, jobId: string): Promise<void> {
  const { status } = await follow(client, jobId);
  if (status !== "succeeded") throw new Error(`The job ended as '${status}'`);
}

async function follow(client: VolleyClient, jobId: string): Promise<Job> {
  const until = Date.now() + PATIENCE_MS;
  let last = "";
  for (;;) {
    const job = await client.job(jobId);
    if (job.status !== last) {
      console.log(`  GET /v1/jobs/${shorten(jobId)}  ${job.status}, attempt ${job.attempts}`);
      if (job.data !== undefined) console.log(`  ${JSON.stringify(job.data)}`);
    }
    last = job.status;
    if (!["running", "retrying"].includes(job.status) || Date.now() > until) return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
