/**
 * The first thing a newcomer runs: `npm ci && npm run demo`. Starts the sandbox, sends three batches, and shows what
 * happened as it happens. Nothing leaves the machine and no key is needed.
 */
import { showJob } from "./demo/background-job.ts";
import { showMixedBatch } from "./demo/mixed-batch.ts";
import { showOneCall } from "./demo/one-call.ts";
import { heading } from "./demo/print.ts";
import { startSandboxProcess } from "./demo/sandbox-process.ts";
import { showThreeLookups } from "./demo/three-lookups.ts";
import { VolleyClient } from "./demo/volley-client.ts";

async function main(): Promise<void> {
  console.log("Starting the sandbox: the real Worker, with stand-ins for the providers…");
  const sandbox = await startSandboxProcess(15_000);
  try {
    const client = new VolleyClient(sandbox.url, "sandbox-key");
    // The first request of a fresh isolate compiles the code; it is not what is shown here.
    await client.execute([{ tool: "probe-echo", args: { n: 0 } }]);

    heading("1. Three lookups in one call");
    await showThreeLookups(client);

    heading("2. One call instead of three rounds: actions that refer to each other");
    await showOneCall(client);

    heading("3. A mixed batch: one waits, one is wrong, one goes on in the background");
    const jobId = await showMixedBatch(client);

    heading("4. The background job, to its end");
    await showJob(client, jobId);
  } finally {
    await sandbox.stop();
  }
  console.log("\nThat was all on this machine. Next: README.md, 'Your first tool, in five minutes'.");
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
