import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";

import { digestKey } from "../../../src/cloudflare/http/key-ring.ts";
import { buildBundle } from "../../../test/support/build-bundle.ts";
import { startWorkerd } from "../../../test/support/workerd.ts";
import { type Place, solve, type Solved, WAYS } from "./measure-tasks.ts";
import { answerCall, PUBLISHED_TASKS, TOOL_MS } from "./published-tasks.ts";

const KEY = "tasks-key";

/** Solve every task in every way with real waits: the tools behind a server of their own, Volley as its built bundle over HTTP. */
export async function solveLive(): Promise<readonly Solved[]> {
  await using upstream = await startTools();
  await using bundle = await buildBundle({
    entry: fileURLToPath(new URL("../tasks-worker.ts", import.meta.url)),
  });
  const key = { name: "tasks", tools: ["*"], hash: Buffer.from(await digestKey(KEY)).toString("hex") };
  await using worker = await startWorkerd({
    script: bundle.path,
    durableObjects: { TENANT_GATE: "TenantGate", TOOL_GATE: "ToolGate" },
    compatibilityFlags: ["enable_request_signal", "global_fetch_strictly_public"],
    vars: { VOLLEY_KEYS: JSON.stringify([key]), UPSTREAM_ORIGIN: upstream.url },
  });
  const place: Place = {
    now: () => performance.now(),
    sleep: (ms) => sleep(ms).then(() => {}),
    call: async ({ tool, args }) => {
      const { entity = "" } = args as { readonly entity?: string };
      const response =
        tool === "math"
          ? await fetch(`${upstream.url}/math`, { method: "POST", body: JSON.stringify(args) })
          : await fetch(`${upstream.url}/search?entity=${encodeURIComponent(entity)}`);
      return (await response.json()) as object;
    },
    execute: async (actions) => {
      const response = await fetch(`${worker.url}/v1/execute_actions`, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ actions }),
      });
      const json = await response.text();
      if (!json.includes(`"ok":${actions.length},`)) throw new Error(`Cannot solve: ${json}`);
      return json;
    },
  };
  const solved: Solved[] = [];
  for (const task of PUBLISHED_TASKS) for (const way of WAYS) solved.push(await solve(task, way, place));
  return solved;
}

async function startTools(): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((request: IncomingMessage, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://localhost");
    const tool = pathname === "/math" ? "math" : "search";
    request.resume();
    void sleep(TOOL_MS[tool]).then(() => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answerCall(tool, { entity: searchParams.get("entity") ?? "" })));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
