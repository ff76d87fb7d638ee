import { createHmac } from "node:crypto";

import { WEBHOOK_ATTEMPTS } from "../../src/core/kit/webhook-schedule.ts";
import { shorten } from "./print.ts";
import type { Subscribers } from "./subscribers.ts";
import type { Job, VolleyClient } from "./volley-client.ts";
import { paint } from "./waterfall.ts";

const FLOW = "order_paid";
const HOOK = `/hooks/sandbox-admin/${FLOW}`;
/** The sandbox's `SANDBOX_SECRET`, public as it is. */
const SECRET = "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=";
const EVENT = { id: "evt_order_17", body: JSON.stringify({ order: 17, total: "129.00", currency: "EUR" }) };

const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 50;
/** How long nothing comes before nothing will. */
const QUIET_MS = 300;

/** Cells of a row, and how wide each is: 72 columns in all. */
const PER_ROW = 5;
const CELL = 14;

/** One delivery in, 25 out: who got it, what becomes of the others, and that the same delivery again sends nothing. */
export async function showFanOut(client: VolleyClient, subscribers: Subscribers): Promise<void> {
  const { urls } = subscribers;
  await client.keepFlow(FLOW, {
    summary: "Tell every subscriber of a paid order",
    input_schema: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] },
    actions: [
      {
        id: "tell",
        tool: "deliver_event",
        for_each: urls,
        args: { event: "order.paid", data: { $ref: "input#" }, url: { $ref: "item#" } },
      },
    ],
    answer: { jobs: { $ref: "tell#" } },
    triggers: { webhook: { verify: "standard-webhooks", secret: "SANDBOX_SECRET" } },
  });
  console.log(`  The flow ${FLOW} is one action: deliver_event, for_each of ${urls.length} subscribers.\n`);

  const forged = await client.deliver(HOOK, {}, EVENT.body);
  console.log(`  POST ${HOOK}  unsigned  ${paint("red", String(forged.status))}`);
  const sentAt = performance.now();
  const first = await client.deliver(HOOK, sign(), EVENT.body);
  if (first.jobId === undefined) throw new Error(`The delivery was answered ${first.status}`);
  sayTaken(first.status, first.jobId);

  const jobs = await followAll(client, first.jobId, subscribers);
  console.log("\n  When each had the event, since the delivery was sent:\n");
  const cells = urls.map((url, place) => toCell(place, subscribers.takenAt.get(url), sentAt, jobs[place]!));
  for (let row = 0; row < cells.length; row += PER_ROW)
    console.log(`  ${cells.slice(row, row + PER_ROW).join("")}`.trimEnd());

  console.log();
  for (const [place, job] of jobs.entries())
    if (job.status !== "succeeded") console.log(`  ${nameOf(place)}  ${whyOf(job).padEnd(9)} ${fateOf(job)}`);

  console.log("\n  The same delivery again, as of a sender that missed the answer:\n");
  const before = subscribers.taken();
  const again = await client.deliver(HOOK, sign(), EVENT.body);
  sayTaken(again.status, again.jobId ?? "", again.jobId === first.jobId ? "the same" : "another one");
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const counted = `${before} events taken before it, ${subscribers.taken()} after`;
  console.log(`\n  ${counted}: ${paint("bold", "nothing is sent twice")}.`);
}

/** Sign it as Standard Webhooks does: its id, its time and its body. */
function sign(): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
  const mac = createHmac("sha256", key).update(`${EVENT.id}.${time}.${EVENT.body}`).digest("base64");
  return { "webhook-id": EVENT.id, "webhook-timestamp": time, "webhook-signature": `v1,${mac}` };
}

function sayTaken(status: number, jobId: string, note = ""): void {
  const said = `  POST ${HOOK}  signed    ${paint("green", String(status))}  run ${shorten(jobId)} ${note}`;
  console.log(said.trimEnd());
}

/** Wait until the run is over and each of its jobs has been tried; those jobs, in the subscribers' order. */
async function followAll(
  client: VolleyClient,
  runId: string,
  { urls }: Subscribers,
): Promise<readonly Job[]> {
  const run = await until(() => client.job(runId), isOver);
  if (run.status !== "succeeded") throw new Error(`The run ended as '${run.status}'`);
  const { jobs } = run.data as { readonly jobs: readonly { readonly job_id: string }[] };
  return Promise.all(
    urls.map((_, place) =>
      // Before its first attempt a job waits like one between two.
      until(
        () => client.job(jobs[place]!.job_id),
        (job) => isOver(job) || job.error !== undefined,
      ),
    ),
  );
}

async function until(look: () => Promise<Job>, isEnough: (job: Job) => boolean): Promise<Job> {
  const endsAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const job = await look();
    if (isEnough(job)) return job;
    if (Date.now() > endsAt) throw new Error(`A job is still '${job.status}'`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function isOver({ status }: Job): boolean {
  return status !== "running" && status !== "retrying";
}

function toCell(place: number, takenAt: number | undefined, sentAt: number, job: Job): string {
  const text = takenAt === undefined ? whyOf(job) : `${String(Math.round(takenAt - sentAt)).padStart(4)} ms`;
  const style = takenAt !== undefined ? "green" : isOver(job) ? "red" : "yellow";
  return `${nameOf(place)} ${paint(style, text)}${" ".repeat(Math.max(1, CELL - 4 - text.length))}`;
}

function nameOf(place: number): string {
  return `s${String(place + 1).padStart(2, "0")}`;
}

/** The answer of its endpoint. */
function whyOf({ error }: Job): string {
  return error?.upstream_status === undefined ? "no answer" : `HTTP ${error.upstream_status}`;
}

/** The fate of the job. */
function fateOf(job: Job): string {
  const { status, attempts, next_attempt_at: next = null } = job;
  if (isOver(job)) return `${paint("red", status)}: it wants no more events, so it gets none`;
  const pauseS = next === null ? 0 : Math.max(0, Math.round((Date.parse(next) - Date.now()) / 1_000));
  const attempt = next === null ? attempts : attempts + 1;
  return `${paint("yellow", status)}: attempt ${attempt} of ${WEBHOOK_ATTEMPTS} in ${pauseS} s, the last after three days`;
}
