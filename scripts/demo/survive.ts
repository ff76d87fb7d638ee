import { noteOf, shorten, show } from "./print.ts";
import type { Envelope, Result, VolleyClient } from "./volley-client.ts";
import { paint } from "./waterfall.ts";

/** Five actions of one message: a search, what others say of its results, a slip, a write in the background, and a deletion, which a person has to allow. */
const FIVE = [
  { id: "shops", tool: "google-maps-search", args: { query: "oil change near Phoenix, AZ", max_results: 2 } },
  {
    id: "reviews",
    tool: "web-search",
    for_each: { $ref: "shops#/places" },
    args: { query: { $template: "{{item#/name}} reviews" }, max_results: 1 },
  },
  { id: "recalls", tool: "nhtsa-recall-search", args: { year: "2020", make: "Toyota", model: "Camry" } },
  {
    id: "book",
    tool: "probe-background",
    args: { n: { $ref: "shops#/places/0/rating_count" } },
    depends_on: ["reviews"],
  },
  { id: "cancel", tool: "probe-delete", args: { id: "appointment-1" } },
];

/** The Worker that the scene kills, and the provider of its write. */
export interface Killable {
  readonly client: VolleyClient;
  /** Wait until the provider has the write, kill the Worker's process before the answer, and start another on the same storage. */
  readonly restart: () => Promise<VolleyClient>;
  /** The idempotency keys of the provider's requests, in their order. */
  readonly keysAtProvider: () => readonly string[];
}

/** One batch, the Worker killed right after its answer, the job that goes on all the same, and the question that is answered. */
export async function showSurvival({ client, restart, keysAtProvider }: Killable): Promise<void> {
  console.log(`  POST /v1/execute_actions  ${FIVE.length} actions, one message of the model\n`);
  const envelope = await show(client, FIVE, { nameOf: ({ id }) => id, sayNote });
  const { duration_ms: durationMs, sequential_ms: sequentialMs } = envelope.stats;
  console.log(`\n  ${durationMs} ms for ${sequentialMs} ms of calls, 1 round of the model instead of 3.`);
  console.log("  recalls has a slip and costs the others nothing; cancel asks a person first.\n");

  const { jobId, confirmationId } = idsOf(envelope);
  console.log(
    `  ${paint("red", "kill -9")}  the Worker while book waits for its provider, and start it again`,
  );
  const again = await restart();
  const job = await again.changeOfJob(jobId);
  const keys = keysAtProvider();
  const seen = `attempt ${job.attempts}, ${keys.length} requests, ${new Set(keys).size} key`;
  console.log(`  GET  /v1/jobs/${shorten(jobId)}  ${paint("green", job.status)}  ${seen}`);
  const [decided] = (await again.approve(confirmationId)).results;
  const path = `/v1/confirmations/${shorten(confirmationId)}`;
  console.log(`  POST ${path}  approve  ${paint("green", decided!.status)}`);
}

function sayNote(result: Result): string {
  return result.confirmation === undefined ? noteOf(result) : "";
}

function idsOf({ results }: Envelope): { readonly jobId: string; readonly confirmationId: string } {
  const jobId = results.find(({ job_id: id }) => id !== undefined)?.job_id;
  const confirmationId = results.find(({ confirmation }) => confirmation !== undefined)?.confirmation?.id;
  if (jobId === undefined || confirmationId === undefined)
    throw new Error(`Cannot go on without a job and a question: received ${JSON.stringify(results)}`);
  return { jobId, confirmationId };
}
