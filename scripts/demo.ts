/**
 * The first thing a newcomer runs: `npm ci && npm run demo`. Starts the sandbox, sends two batches, and shows what
 * happened as it happens. Nothing leaves the machine and no key is needed.
 */
import { startSandboxProcess } from "./demo/sandbox-process.ts";
import { type Envelope, type Job, type Result, VolleyClient } from "./demo/volley-client.ts";
import { drawLine, paint } from "./demo/waterfall.ts";

const LOOKUPS = [
  { tool: "google-maps-search", args: { query: "oil change near Phoenix, AZ" } },
  { tool: "nhtsa-recall-search", args: { year: 2020, make: "Toyota", model: "Camry" } },
  { tool: "web-search", args: { query: "2020 Toyota Camry common issues" } },
];

const MIXED = [
  { id: "weather", tool: "get_weather", args: { city: "Phoenix" } },
  { id: "typo", tool: "nhtsa-recall-search", args: { year: "2020", make: "Toyota", model: "Camry" } },
  {
    id: "plan",
    tool: "web-search",
    args: { query: "how long does an oil change take" },
    depends_on: ["weather"],
  },
  { id: "lost", tool: "google-maps-search", args: { query: "what the typo found" }, depends_on: ["typo"] },
  {
    id: "mail",
    tool: "send_email",
    args: { to: ["you@example.com"], subject: "Your Camry", body: "The shops and recalls you asked for." },
  },
];

/** Lines of the waterfall are scaled before the batch has ended; the stand-ins answer well within this. */
const SCALE_MS = 900;

async function main(): Promise<void> {
  console.log("Starting the sandbox: the real Worker in workerd, with stand-ins for the providers…");
  const sandbox = await startSandboxProcess(15_000);
  try {
    const client = new VolleyClient(sandbox.url, "sandbox-key");
    // The first request of a fresh isolate compiles the code; it is not what is shown here.
    await client.execute([{ tool: "probe-echo", args: { n: 0 } }]);

    heading("1. Three lookups in one call");
    const together = await show(client, LOOKUPS);
    summarise(together);
    await compare(client, together);

    heading("2. A mixed batch: one waits for another, one is wrong, one goes on in the background");
    const mixed = await show(client, MIXED);
    summarise(mixed);
    for (const result of mixed.results)
      if (result.error?.hint !== undefined)
        console.log(`  ${result.id}: ${result.error.code}. ${result.error.hint}`);

    heading("3. The background job, to its end");
    const jobId = mixed.results.find(({ status }) => status === "initiated")?.job_id;
    if (jobId === undefined) throw new Error("No job was initiated");
    const job = await follow(client, jobId);
    if (job.status !== "succeeded") throw new Error(`The job ended as '${job.status}'`);
  } finally {
    await sandbox.stop();
  }
  console.log("\nThat was all on this machine. Next: README.md, 'Define a tool in 12 lines'.");
}

function heading(text: string): void {
  console.log(`\n${paint("bold", text)}\n`);
}

function show(client: VolleyClient, actions: readonly unknown[]): Promise<Envelope> {
  return client.execute(actions, (result, elapsedMs) =>
    console.log(drawLine(result, elapsedMs, SCALE_MS, noteOf(result))),
  );
}

function noteOf(result: Result): string {
  if (result.error !== undefined)
    return result.because === undefined ? result.error.code : `because of '${result.because}'`;
  if (result.job_id !== undefined) return `job ${result.job_id.slice(0, 8)}…`;
  const data = result.data as Readonly<Record<string, unknown>>;
  const list = Object.entries(data).find(([, value]) => Array.isArray(value));
  return list === undefined ? "" : `${(list[1] as unknown[]).length} ${list[0]}`;
}

function summarise({ results, summary }: Envelope): void {
  const counts = Object.entries(summary).filter(([name, count]) => name !== "total" && count > 0);
  console.log(
    `\n  ${results.length} results for ${summary["total"]} actions, in the order asked: ${counts.map(([name, count]) => `${count} ${name}`).join(", ")}.`,
  );
}

/** Send the same actions one by one, as a model without a batch would, and say what that took. */
async function compare(client: VolleyClient, together: Envelope): Promise<void> {
  const startedAt = performance.now();
  for (const action of LOOKUPS) await client.execute([action]);
  const oneByOneMs = performance.now() - startedAt;
  const speedup = oneByOneMs / together.stats.duration_ms;
  console.log(
    `  ${together.stats.duration_ms} ms together, ${Math.round(oneByOneMs)} ms one by one (measured): ${paint("bold", `${speedup.toFixed(1)}x faster`)}, and one model round instead of three.`,
  );
}

async function follow(client: VolleyClient, jobId: string): Promise<Job> {
  const until = Date.now() + 10_000;
  let last = "";
  for (;;) {
    const job = await client.job(jobId);
    if (job.status !== last)
      console.log(
        `  GET /v1/jobs/${jobId.slice(0, 8)}…  ${job.status}, attempt ${job.attempts}${job.data === undefined ? "" : `, ${JSON.stringify(job.data)}`}`,
      );
    last = job.status;
    if (!["running", "retrying"].includes(job.status) || Date.now() > until) return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
