/**
 * The first thing a newcomer runs: `npm ci && npm run demo`. Starts the sandbox, sends three batches, and shows what
 * happened as it happens. `npm run demo -- --tools` adds tools instead: those of an API's document and of an MCP server, both
 * started here. Nothing leaves the machine and no key is needed.
 */
import { parseArgs } from "node:util";

import { showJob } from "./demo/background-job.ts";
import { showMixedBatch } from "./demo/mixed-batch.ts";
import { showOneCall } from "./demo/one-call.ts";
import { startOwnServices } from "./demo/own-services.ts";
import { showOwnTools } from "./demo/own-tools.ts";
import { heading } from "./demo/print.ts";
import { startSandboxProcess } from "./demo/sandbox-process.ts";
import { showThreeLookups } from "./demo/three-lookups.ts";
import { VolleyClient } from "./demo/volley-client.ts";

async function main(): Promise<void> {
  console.log("Starting the sandbox: the real Worker, with stand-ins for the providers…");
  const sandbox = await startSandboxProcess(START_MS);
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

/** Long enough for the first start on a slow machine. */
const START_MS = 30_000;

async function mainOfTools(): Promise<void> {
  console.log("Starting an API and an MCP server on this machine, and the sandbox…");
  const services = await startOwnServices();
  const sandbox = await startSandboxProcess(START_MS, [`PROBE_ORIGIN:${services.origin}`]);
  try {
    const client = new VolleyClient(sandbox.url, "sandbox-admin-key");
    await client.execute([{ tool: "get_weather", args: { city: "Phoenix" } }]);
    await showOwnTools(client, services.origin);
  } finally {
    await sandbox.stop();
    await services.close();
  }
  console.log("\nThat was all on this machine. Next: docs/register-tools.md, with your own document.");
}

const { values } = parseArgs({ options: { tools: { type: "boolean", default: false } } });

try {
  await (values.tools ? mainOfTools() : main());
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
