import { buildBundle } from "./build-bundle.ts";
import { BUILT_SANDBOX, SANDBOX_CONFIG } from "./sandbox.ts";

/** Build the sandbox before any test file runs, so that every worker of the test run starts the same bytes. */
export default async function buildSandboxOnce(): Promise<() => Promise<void>> {
  const bundle = await buildBundle({ config: SANDBOX_CONFIG });
  // The environment, because workers inherit it and the bench and the demo, which have no test runner, do not have it.
  process.env[BUILT_SANDBOX] = bundle.path;
  return async () => {
    await bundle[Symbol.asyncDispose]();
  };
}
