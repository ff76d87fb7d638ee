import { setTimeout as sleep } from "node:timers/promises";

import { type Bundles, FOR_START_UP, makeBatchRequest } from "./contenders.ts";
import { readCpuMicros } from "./cpu-time.ts";
import { rotate, startContender } from "./measure.ts";
import type { Upstream } from "./start-upstream.ts";

/** The cost of starting a Worker, in CPU of its whole process: a value per start. */
export interface StartUp {
  readonly name: string;
  readonly label: string;
  /** Until it listens. */
  readonly listeningMs: number[];
  /** The same by the clock, with the start of the process. */
  readonly wallMs: number[];
  /** The first batch, of one call. */
  readonly firstMs: number[];
  /** The first tool search after that batch; nothing where there is none. */
  readonly discoveryMs: number[];
  /** The first MCP message after that; nothing where there is none. */
  readonly mcpMs: number[];
}

/** workerd says that it listens a moment before it has finished with its script. */
const SETTLE_MS = 30;

/**
 * Measure the CPU that Workers need until they listen and for their first requests, started one at a time and in turns,
 * so that a busy machine touches all alike. CPU is not the wall clock, yet a cold cache costs it too: the median of ten.
 */
export async function measureStartUp(
  starts: number,
  options: { readonly bundles: Bundles; readonly upstream: Upstream },
): Promise<readonly StartUp[]> {
  const found = FOR_START_UP.map((contender) => ({
    contender,
    times: {
      name: contender.name,
      label: contender.label,
      listeningMs: [],
      wallMs: [],
      firstMs: [],
      discoveryMs: [],
      mcpMs: [],
    } satisfies StartUp as StartUp,
  }));
  for (let start = 0; start < starts; start += 1) {
    for (const { contender, times } of rotate(found, start)) {
      await options.bundles.get(contender.source);
      const startedAt = performance.now();
      await using worker = await startContender(contender, options);
      times.wallMs.push(performance.now() - startedAt);
      await sleep(SETTLE_MS);
      times.listeningMs.push(readCpuMicros(worker.pid) / 1_000);
      const send = async (path: string, body: string, into: number[]): Promise<void> => {
        const before = readCpuMicros(worker.pid);
        const response = await fetch(worker.url + path, { method: "POST", headers, body });
        const text = await response.text();
        if (!response.ok)
          throw new Error(`Cannot measure ${contender.name}: ${path} answered ${response.status} ${text}`);
        into.push((readCpuMicros(worker.pid) - before) / 1_000);
      };
      const { path, headers: batchHeaders, body } = makeBatchRequest(contender, 1, 0);
      const headers = { ...batchHeaders, accept: "application/json, text/event-stream" };
      await send(path, body, times.firstMs);
      if (contender.name !== "volley") continue;
      await send("/v1/discover_tools", '{"query":"weather in a city"}', times.discoveryMs);
      await send("/mcp", '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}', times.mcpMs);
    }
  }
  return found.map(({ times }) => times);
}
