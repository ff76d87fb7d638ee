import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildBundle } from "../support/build-bundle.ts";
import { readSandboxConfig } from "../support/sandbox.ts";
import { startWorkerd } from "../support/workerd.ts";

/*
 * `npm run conformance`: the official conformance suite of the Model Context Protocol against the built bundle of a test
 * entry, for both revisions that are served. What fails must be in the baseline, which says why; what is in the baseline
 * and passes fails the run too.
 */

const suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

/** Run the suite once; the number of what it found wrong beyond the baseline. */
async function run(url: string, selection: readonly string[], baseline: string): Promise<number> {
  const results = await mkdtemp(join(tmpdir(), "volley-conformance-"));
  try {
    const args = [
      suite,
      "server",
      "--url",
      url,
      ...selection,
      "--expected-failures",
      baseline,
      "-o",
      results,
    ];
    const child = spawn(process.execPath, args, { stdio: "inherit" });
    const [code] = (await once(child, "exit")) as [number | null];
    return code ?? 1;
  } finally {
    await rm(results, { recursive: true, force: true });
  }
}

await using bundle = await buildBundle({ config: "test/mcp/wrangler.jsonc" });
const { vars, compatibility_flags } = await readSandboxConfig();
await using worker = await startWorkerd({
  script: bundle.path,
  vars: { VOLLEY_KEYS: vars["VOLLEY_KEYS"]! },
  durableObjects: { TENANT_GATE: "TenantGate" },
  compatibilityFlags: compatibility_flags,
});
const url = `${worker.url}/mcp?surface=flat`;
const codes = [
  await run(url, ["--requirements", "2026-07-28"], "test/mcp/baseline-2026-07-28.yml"),
  await run(url, ["--requirements", "2025-11-25"], "test/mcp/baseline-2025-11-25.yml"),
];
process.exitCode = Math.max(...codes);
