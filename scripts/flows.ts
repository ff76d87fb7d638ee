/**
 * Keep a deployment's flows in a file that is reviewed like code: show what differs, push the file, or pull it.
 *
 *   VOLLEY_URL=https://volley.example.com VOLLEY_KEY=vk_… npm run --silent flows -- diff [--prune] [--file FILE]
 *   … push [--prune] [--dry-run] [--file FILE]
 *   … pull [--file FILE]
 *
 * Ends with 0 where nothing differs or all is done, with 1 where `diff` found a difference, and with 2 for an error.
 */
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

import { visibleText } from "../src/core/kit/visible-text.ts";
import { FlowsClient } from "./flows/flows-client.ts";
import { readDeployment } from "./flows/read-deployment.ts";
import { type ExitCode, type FlowsWork, runDiff, runPull, runPush } from "./flows/run-flows.ts";

const USAGE = `Usage: npm run --silent flows -- diff [--prune] [--file FILE]
                                 push [--prune] [--dry-run] [--file FILE]
                                 pull [--file FILE]`;

async function main(): Promise<ExitCode> {
  const { values, positionals } = readArguments();
  const { file, prune, "dry-run": isDry } = values;
  const [command = "", ...more] = positionals;
  const run = COMMANDS.get(isDry && command === "push" ? "diff" : command);
  if (run === undefined || more.length > 0) throw new Error(USAGE);
  if ((isDry && command !== "push") || (prune && command === "pull")) throw new Error(USAGE);
  const client = new FlowsClient(readDeployment(process.env), {
    fetch: (url, init) => fetch(url, init),
    sleep: (ms) => sleep(ms),
    onWait: (ms) => console.error(`Waiting ${ms / 1000} s, as the deployment asks.`),
  });
  return run({
    client,
    file: { path: resolve(whereCalled(), file), shown: visibleText(file, 200) },
    prune,
    print: (line) => console.log(line),
    width: Math.max(40, process.stdout.columns ?? 80),
  });
}

/** The platform's message about a wrong argument speaks of its own rules. */
function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        file: { type: "string", default: "volley.flows.json" },
        prune: { type: "boolean", default: false },
        "dry-run": { type: "boolean", default: false },
      },
    });
  } catch (cause) {
    throw new Error(USAGE, { cause });
  }
}

const COMMANDS: ReadonlyMap<string, (work: FlowsWork) => Promise<ExitCode>> = new Map([
  ["diff", runDiff],
  ["push", runPush],
  ["pull", runPull],
]);

/** npm runs a script in the package's folder; files are meant from where one stands. */
function whereCalled(): string {
  const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
  return script === "flows" && folder !== undefined ? folder : process.cwd();
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
