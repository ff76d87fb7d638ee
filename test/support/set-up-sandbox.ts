import { afterAll } from "vitest";

import { HostileUpstream } from "./hostile-upstream.ts";
import type { RunningWorker } from "./miniflare.ts";
import { type SandboxOptions, startRawSandbox } from "./sandbox.ts";
import { TestCaller } from "./test-caller.ts";

/** The sandbox as a test file sees it: its upstream in the test's own hands, and a caller with every right. */
export interface SandboxSetup {
  readonly upstream: HostileUpstream;
  readonly volley: RunningWorker;
  readonly caller: TestCaller;
}

/** How a test file's sandbox is started. */
export type StartSandbox = (options: SandboxOptions) => Promise<RunningWorker>;

/**
 * Start the sandbox in front of an upstream of the test's own, for all tests of the calling file; both end with it.
 *
 * @param vars variables besides the configured ones
 * @param start `startSandbox` where a test needs a database, a bucket or a loader
 * @example
 * const { upstream, caller } = await setUpSandbox();
 */
export async function setUpSandbox(
  vars: Readonly<Record<string, string>> = {},
  start: StartSandbox = startRawSandbox,
): Promise<SandboxSetup> {
  const upstream = await HostileUpstream.start();
  afterAll(() => upstream[Symbol.asyncDispose]());
  const volley = await start({ vars: { PROBE_ORIGIN: upstream.url, ...vars } });
  afterAll(() => volley[Symbol.asyncDispose]());
  return { upstream, volley, caller: new TestCaller(volley.url) };
}
