import { type Bundle, buildBundle } from "./build-bundle.ts";
import { BUILT_SANDBOX, SANDBOX_CONFIG } from "./sandbox.ts";

let bundle: Bundle | undefined;

/**
 * Build the sandbox before any test file runs, so that every worker of the test run starts the same bytes. The runner
 * knows these two functions by their names.
 *
 * The path goes through the environment, which workers inherit, and not through the runner: the bench has none.
 */
export async function setup(): Promise<void> {
  bundle = await buildBundle({ config: SANDBOX_CONFIG });
  process.env[BUILT_SANDBOX] = bundle.path;
}

export async function teardown(): Promise<void> {
  delete process.env[BUILT_SANDBOX];
  await bundle?.[Symbol.asyncDispose]();
}
