import { createHmac } from "node:crypto";

import { shorten } from "./print.ts";
import type { Subscribers } from "./subscribers.ts";
import type { Delivery, VolleyClient } from "./volley-client.ts";
import { paint } from "./waterfall.ts";

const FLOW = "order_paid";
const TYPE = "order.paid";
const HOOK = `/hooks/sandbox-admin/${FLOW}`;
/** The sandbox's `SANDBOX_SECRET`, public as it is. */
const SECRET = "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=";
const EVENT = { id: "evt_order_17", body: JSON.stringify({ order: 17, total: "129.00", currency: "EUR" }) };

const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 50;
/** How long nothing comes before nothing will. */
const QUIET_MS = 300;
/** Endpoints are made so many at a time. */
const TOGETHER = 50;
const PER_ROW = 40;

/** One delivery in, 200 out: who got it, what becomes of the others, and that the same delivery again sends nothing. */
export async function showFanOut(client: VolleyClient, subscribers: Subscribers): Promise<void> {
  const { urls } = subscribers;
  await keepEndpoints(client, urls);
  await client.keepFlow(FLOW, {
    summary: "Tell every subscriber of a paid order",
    input_schema: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] },
    actions: [{ id: "tell", tool: "publish_event", args: { type: TYPE, data: { $ref: "input#" } } }],
    answer: { $ref: "tell#" },
    triggers: { webhook: { verify: "standard-webhooks", secret: "SANDBOX_SECRET" } },
  });
  console.log(`  ${urls.length} endpoints ask for ${TYPE}. The flow ${FLOW} publishes it.\n`);

  const forged = await client.deliver(HOOK, {}, EVENT.body);
  console.log(`  POST ${HOOK}  unsigned  ${paint("red", String(forged.status))}`);
  const sentAt = performance.now();
  const first = await client.deliver(HOOK, sign(), EVENT.body);
  if (first.jobId === undefined) throw new Error(`The delivery was answered ${first.status}`);
  sayTaken(first.status, first.jobId);

  const event = await followRun(client, first.jobId);
  await until(
    () => client.event(event),
    ({ deliveries }) => (deliveries["pending"] ?? 0) <= subscribers.hanging,
  );
  const deliveries = await client.deliveriesOf(event);
  console.log(`\n  ${deliveries.size} deliveries, each signed with its endpoint's own secret:\n`);
  for (const line of draw(urls, deliveries)) console.log(line);
  sayTimes(subscribers, sentAt);
  console.log();
  for (const [place, url] of urls.entries()) {
    const delivery = deliveries.get(nameOf(place));
    if (delivery !== undefined && delivery.status !== "delivered" && !subscribers.takenAt.has(url))
      console.log(`  ${nameOf(place)}  ${whyOf(delivery).padEnd(11)} ${fateOf(delivery)}`);
  }

  console.log("\n  The same delivery again, as of a sender that missed the answer:\n");
  const before = subscribers.taken();
  const again = await client.deliver(HOOK, sign(), EVENT.body);
  sayTaken(again.status, again.jobId ?? "", again.jobId === first.jobId ? "the same" : "another one");
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const counted = `${before} events taken before it, ${subscribers.taken()} after`;
  console.log(`\n  ${counted}: ${paint("bold", "nothing is sent twice")}.`);
}

async function keepEndpoints(client: VolleyClient, urls: readonly string[]): Promise<void> {
  for (let from = 0; from < urls.length; from += TOGETHER)
    await Promise.all(
      urls
        .slice(from, from + TOGETHER)
        .map((url, at) => client.keepEndpoint(nameOf(from + at), { url, events: [TYPE] })),
    );
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

/** Wait until the run is over; the event that it published. */
async function followRun(client: VolleyClient, runId: string): Promise<string> {
  const run = await until(
    () => client.job(runId),
    ({ status }) => status !== "running" && status !== "retrying",
  );
  if (run.status !== "succeeded") throw new Error(`The run ended as '${run.status}'`);
  return (run.data as { readonly event_id: string }).event_id;
}

async function until<T>(look: () => Promise<T>, isEnough: (seen: T) => boolean): Promise<T> {
  const endsAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (isEnough(seen)) return seen;
    if (Date.now() > endsAt) throw new Error(`Nothing has come: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** One sign for each endpoint, in rows. */
function draw(urls: readonly string[], deliveries: ReadonlyMap<string, Delivery>): readonly string[] {
  const signs = urls.map((_, place) => signOf(deliveries.get(nameOf(place))));
  const rows = Math.ceil(signs.length / PER_ROW);
  const lines = Array.from({ length: rows }, (_, row) => {
    const from = row * PER_ROW;
    const shown = signs.slice(from, from + PER_ROW).join("");
    return `  ${nameOf(from)}  ${shown}  ${nameOf(Math.min(from + PER_ROW, signs.length) - 1)}`;
  });
  return [...lines, "", "  ■ delivered   ↻ tried again later   × wants no more   … no answer yet"];
}

function signOf(delivery: Delivery | undefined): string {
  switch (delivery?.status) {
    case "delivered":
      return paint("green", "■");
    case "retrying":
      return paint("yellow", "↻");
    case "pending":
      return paint("yellow", "…");
    default:
      return paint("red", "×");
  }
}

function sayTimes({ takenAt }: Subscribers, sentAt: number): void {
  const times = [...takenAt.values()].map((at) => Math.round(at - sentAt)).toSorted((a, b) => a - b);
  const [first, half, last] = [times[0], times[Math.floor(times.length / 2)], times.at(-1)];
  console.log(`\n  The first had it after ${first} ms, half after ${half} ms, the last after ${last} ms.`);
}

function nameOf(place: number): string {
  return `s${String(place + 1).padStart(3, "0")}`;
}

/** The last answer of an endpoint. */
function whyOf({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return "hangs";
  return last.status === undefined ? "no listener" : `HTTP ${last.status}`;
}

/** The fate of the delivery. */
function fateOf({ status, attempts, next_attempt_at: next }: Delivery): string {
  if (status === "pending")
    return `${paint("yellow", "pending")}: it has 15 s to answer, and delays no other`;
  if (status !== "retrying") return `${paint("red", "disabled")}: it wants no more events, so it gets none`;
  const pauseS = next === null ? 0 : Math.max(0, Math.round((Date.parse(next) - Date.now()) / 1_000));
  return `${paint("yellow", status)}: attempt ${attempts.length + 1} of 10 in ${pauseS} s, the last after three days`;
}
