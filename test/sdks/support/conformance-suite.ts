import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { startSandbox } from "../../support/sandbox.ts";
import type { RunningWorker } from "../../support/miniflare.ts";

/** The revisions that are served; each has its own requirements and its own baseline. */
export const REVISIONS = ["2026-07-28", "2025-11-25"] as const;

/** The output of the suite, and whether it found the expected failures. */
export interface SuiteRun {
  readonly passed: boolean;
  readonly report: string;
}

const suite = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
);
const here = fileURLToPath(new URL("../../mcp", import.meta.url));

/** Start the built bundle of the entry that the suite is run against. */
export function startFixtures(): Promise<RunningWorker> {
  return startSandbox({ config: join(here, "wrangler.toml") });
}

/**
 * Run the official conformance suite of the Model Context Protocol, for what a revision requires. A failing check must be in that
 * revision's baseline, which says why; one that is in the baseline and passes fails the run too.
 */
export function runSuite(origin: string, revision: (typeof REVISIONS)[number]): Promise<SuiteRun> {
  return run(origin, revision, ["--requirements", revision]);
}

/** The suite's scenarios of the tasks extension, which no revision requires. */
export const TASK_SCENARIOS = [
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-status-notifications",
  "tasks-required-task-error",
  "tasks-mrtr-composition",
] as const;

/** Run a scenario of the tasks extension, against the extension's own baseline. */
export function runScenario(origin: string, scenario: (typeof TASK_SCENARIOS)[number]): Promise<SuiteRun> {
  return run(origin, "tasks", ["--scenario", scenario, "--spec-version", "2026-07-28", "--force"]);
}

async function run(origin: string, baselineOf: string, asked: readonly string[]): Promise<SuiteRun> {
  const results = await mkdtemp(join(tmpdir(), "volley-conformance-"));
  const baseline = join(here, `baseline-${baselineOf}.yml`);
  const args = ["server", "--url", `${origin}/mcp?surface=flat`, ...asked];
  const options = ["--expected-failures", baseline, "-o", results];
  try {
    return await new Promise((resolve) => {
      execFile(process.execPath, [suite, ...args, ...options], (error, stdout, stderr) =>
        resolve({ passed: error === null, report: stdout + stderr }),
      );
    });
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}
