/**
 * The first thing a newcomer runs: `npm ci && npm run demo`. Starts the sandbox, sends three batches and a webhook, and shows what
 * happened as it happens. `npm run demo -- --tools` adds tools instead: those of an API's document and of an MCP server, both
 * started here. `npm run demo -- --agent` asks a question that a model takes three rounds for. `npm run demo -- --kill` kills the Worker
 * after a batch, which is the picture of the README. `npm run demo -- --undo` kills it while it takes two of three bookings back. `npm run demo -- --accounts` asks one agent for two people with mailboxes of their own. Nothing leaves the machine and no key is needed, unless `LLM_BASE_URL`, `LLM_API_KEY` and
 * `LLM_MODEL` name a real model for `--agent`.
 */
import { CommandError } from "./command/command-error.ts";
import { endScript, readScript } from "./command/read-script.ts";
import { showAccounts } from "./demo/accounts.ts";
import { showConversation } from "./demo/agent-conversation.ts";
import { openModelWindow, type RealModel } from "./demo/agent-model.ts";
import { showJob } from "./demo/background-job.ts";
import { showFanOut } from "./demo/fan-out.ts";
import { startKillableSandbox } from "./demo/killable-sandbox.ts";
import { showMixedBatch } from "./demo/mixed-batch.ts";
import { showOneCall } from "./demo/one-call.ts";
import { startOwnServices } from "./demo/own-services.ts";
import { showOwnTools } from "./demo/own-tools.ts";
import { heading } from "./demo/print.ts";
import { startSandboxProcess } from "./demo/sandbox-process.ts";
import { startSubscribers } from "./demo/subscribers.ts";
import { showSurvival } from "./demo/survive.ts";
import { showThreeLookups } from "./demo/three-lookups.ts";
import { showUndo } from "./demo/undo.ts";
import { VolleyClient } from "./demo/volley-client.ts";

const { values } = readScript({
  call: "npm run demo --",
  summary: "Start the sandbox, send it something, and show what happens as it happens",
  about: [
    "Without an option: three batches, a background job, and a webhook that goes out to 200 endpoints.",
  ],
  options: {
    tools: { type: "boolean", about: "add the tools of an API's document and of an MCP server" },
    agent: { type: "boolean", about: "ask a question that a model takes three rounds for" },
    kill: { type: "boolean", about: "kill the Worker after a batch" },
    undo: { type: "boolean", about: "let the third of three bookings fail, and kill the Worker meanwhile" },
    accounts: { type: "boolean", about: "ask one agent for two people with mailboxes of their own" },
  },
});
const SHOWN = {
  batches: main,
  tools: mainOfTools,
  agent: mainOfAgent,
  kill: mainOfKill,
  undo: mainOfUndo,
  accounts: mainOfAccounts,
} as const;
const [one, ...others] = (["tools", "agent", "kill", "undo", "accounts"] as const).filter(
  (name) => values[name],
);
if (others.length > 0)
  endScript(
    new CommandError(
      `npm run demo shows one thing at a time: ${[one, ...others].map((name) => `--${name}`).join(" or ")}.`,
    ),
  );

async function main(): Promise<void> {
  console.log("Starting the sandbox: the real Worker, with stand-ins for the providers…");
  const subscribers = await startSubscribers();
  const sandbox = await startSandboxProcess(START_MS, [`VOLLEY_DEV_ORIGINS:${subscribers.origins.join()}`]);
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

    heading("5. A webhook that fans out: one delivery in, 200 out, six endpoints dead");
    await showFanOut(new VolleyClient(sandbox.url, "sandbox-admin-key"), subscribers);
  } finally {
    await sandbox.stop();
    await subscribers.close();
  }
  console.log("\nThat was all on this machine. Next: docs/first-tool.md,");
  console.log("or `npm run sandbox`, and http://127.0.0.1:8787/console with the key sandbox-key.");
}

/** Long enough for the first start on a slow machine. */
const START_MS = 120_000;

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

async function mainOfKill(): Promise<void> {
  console.log("Starting the Worker as a process of its own, with stand-ins for the providers…");
  const sandbox = await startKillableSandbox();
  try {
    await sandbox.client.execute([{ tool: "get_weather", args: { city: "Phoenix" } }]);
    heading("One batch, and the end of its Worker");
    await showSurvival(sandbox);
  } finally {
    await sandbox.stop();
  }
  console.log("\nThat was all on this machine. Next: docs/jobs.md and docs/confirmations.md.");
}

async function mainOfUndo(): Promise<void> {
  console.log("Starting the Worker as a process of its own, and a service that takes bookings…");
  const sandbox = await startKillableSandbox("/unbook");
  try {
    await sandbox.client.execute([{ tool: "get_weather", args: { city: "Phoenix" } }]);
    heading("Three bookings, and the third fails");
    await showUndo(sandbox);
  } finally {
    await sandbox.stop();
  }
  console.log("\nThat was all on this machine. Next: docs/undo.md.");
}

async function mainOfAccounts(): Promise<void> {
  console.log("Starting the sandbox: the real Worker, a scripted model, and a stand-in for the provider…");
  const sandbox = await startSandboxProcess(START_MS);
  try {
    await showAccounts(sandbox.url);
  } finally {
    await sandbox.stop();
  }
  console.log("\nThat was all on this machine. Next: docs/connections.md.");
}

async function mainOfAgent(): Promise<void> {
  const real = findRealModel();
  const { LLM_MODEL = real === null ? "sandbox-model" : "gpt-5.4-mini" } = process.env;
  const said = real === null ? "a scripted model" : `${LLM_MODEL} at ${new URL(real.baseUrl).host}`;
  console.log(`Starting the sandbox: the real Worker, stand-ins for the tools' providers, and ${said}…`);
  const window = await openModelWindow(real);
  const sandbox = await startSandboxProcess(START_MS, [`LLM_BASE_URL:${window.baseUrl}`]);
  try {
    const client = new VolleyClient(sandbox.url, "sandbox-key");
    await client.execute([{ tool: "get_weather", args: { city: "Phoenix" } }]);
    await showConversation(sandbox.url, LLM_MODEL, window);
  } finally {
    await sandbox.stop();
    await window.close();
  }
  console.log(
    real === null
      ? "\nThat was all on this machine. Next: docs/agent.md, with a model of yours."
      : "\nThe tools were stand-ins on this machine. Next: docs/agent.md.",
  );
}

/** A model that the environment names, in place of the scripted one. */
function findRealModel(): RealModel | null {
  const { LLM_BASE_URL: baseUrl = "", LLM_API_KEY: key = "" } = process.env;
  if (baseUrl === "") return null;
  if (!URL.canParse(baseUrl)) throw new Error(`LLM_BASE_URL is no address: '${baseUrl}'`);
  return { baseUrl, key };
}

try {
  await SHOWN[one ?? "batches"]();
} catch (error) {
  endScript(error);
}
