import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildBundle } from "./build-bundle.ts";
import { BUILT_SANDBOX, SANDBOX_CONFIG } from "./sandbox.ts";

/**
 * Build the sandbox once for all workers of a test run, so that each starts the same bytes. The run goes on meanwhile: who needs it waits for
 * the file that says where it is.
 */
export default async function buildSandboxOnce(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "volley-built-"));
  const said = join(folder, "built.json");
  // The environment, because workers inherit it and the bench and the demo, which have no test runner, do not have it.
  process.env[BUILT_SANDBOX] = said;
  const bundle = buildBundle({ config: SANDBOX_CONFIG });
  const written = bundle
    .then(
      ({ path }) => ({ path }),
      (error: unknown) => ({ problem: String(error) }),
    )
    .then(async (built) => {
      await writeFile(`${said}.part`, JSON.stringify(built));
      await rename(`${said}.part`, said);
    });
  return async () => {
    await written;
    await rm(folder, { recursive: true, force: true });
    await (await bundle)[Symbol.asyncDispose]();
  };
}
