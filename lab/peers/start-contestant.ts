import { readdir } from "node:fs/promises";
import { dirname } from "node:path";

import type { Bundles } from "../bench/contenders.ts";
import { forkServer } from "../bench/fork-server.ts";
import type { Upstream } from "../bench/start-upstream.ts";
import { startWorkerd } from "../../test/support/workerd.ts";
import type { Contestant } from "./contestant.ts";

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** Start a contestant in a process of its own: raw workerd with what Wrangler makes of it, or Node. */
export async function startContestant(
  { runs }: Contestant,
  { bundles, upstream }: { readonly bundles: Bundles; readonly upstream: Upstream },
): Promise<RunningServer> {
  const vars = { UPSTREAM_ORIGIN: upstream.url };
  if (runs.on === "node") return forkServer(runs.file, { ...vars, NODE_ENV: "production" });
  const { path: script } = await bundles.get(runs.source);
  const wasm = (await readdir(dirname(script))).filter((name) => name.endsWith(".wasm"));
  return startWorkerd({ ...runs.setup, script, wasm, vars: { ...runs.setup?.vars, ...vars } });
}
