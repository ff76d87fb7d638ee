import { Agent, createServer, request as httpRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { buildBundle } from "../../test/support/build-bundle.ts";
import { startRawSandbox } from "../../test/support/sandbox.ts";
import { startWorkerd, type Workerd } from "../../test/support/workerd.ts";
import { readCpuMicros } from "./cpu-time.ts";

const CONNECTIONS = 20;

/** A delivery that has arrived whole. */
export interface Arrived {
  readonly path: string;
  readonly body: string;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

/** The sender of the deliveries. */
export type Sender = "written by hand" | "Volley";
export const SENDERS: readonly Sender[] = ["written by hand", "Volley"];

/** A sender, and this process as its caller and as the receiver of all endpoints. */
export interface EndpointRig extends AsyncDisposable {
  send(method: string, path: string, body?: object): Promise<Answered>;
  /** Make an endpoint for events of a type, with its number as its path. */
  putEndpoint(n: number, type: string): Promise<void>;
  deleteEndpoint(n: number): Promise<void>;
  /** Make so many for events of the type `bench`. */
  putEndpoints(count: number): Promise<void>;
  /** CPU that the sender has used so far, in milliseconds. */
  cpuMs(): number;
}

/** Start it. @param receive answers a delivery */
export async function openEndpointRig(
  sender: Sender,
  receive: (arrived: Arrived, response: ServerResponse) => void,
): Promise<EndpointRig> {
  const receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => receive({ path: request.url ?? "", body }, response));
  });
  await new Promise<void>((resolve) => void receiver.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const worker = await START[sender](origin);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const send = (method: string, path: string, body?: object): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const headers = { authorization: "Bearer sandbox-admin-key", "content-type": "application/json" };
      const outgoing = httpRequest(`${worker.url}${path}`, { agent, method, headers }, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (chunk: string) => (text += chunk));
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode ?? 0, text, ms: performance.now() - startedAt }),
        );
      });
      outgoing.on("error", reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const putEndpoint = async (n: number, type: string): Promise<void> => {
    const made = await send("PUT", `/v1/endpoints/e${n}`, { url: `${origin}/${n}`, events: [type] });
    if (made.status !== 201) throw new Error(`Cannot measure endpoints: ${made.text}`);
  };
  return {
    send,
    putEndpoint,
    async deleteEndpoint(n) {
      const gone = await send("DELETE", `/v1/endpoints/e${n}`);
      if (gone.status !== 204) throw new Error(`Cannot measure endpoints: ${gone.text}`);
    },
    async putEndpoints(count) {
      for (let n = 0; n < count; n += CONNECTIONS)
        await Promise.all(
          Array.from({ length: Math.min(CONNECTIONS, count - n) }, (_, index) =>
            putEndpoint(n + index, "bench"),
          ),
        );
    },
    cpuMs: () => readCpuMicros(worker.pid) / 1_000,
    async [Symbol.asyncDispose]() {
      receiver.closeAllConnections();
      receiver.close();
      agent.destroy();
      await worker[Symbol.asyncDispose]();
    },
  };
}

const START: Readonly<Record<Sender, (origin: string) => Promise<Workerd>>> = {
  Volley: (origin) => startRawSandbox({ vars: { PROBE_ORIGIN: origin } }),
  "written by hand": async () => {
    await using bundle = await buildBundle({
      entry: fileURLToPath(new URL("bare-fan-out-worker.js", import.meta.url)),
    });
    return await startWorkerd({ script: bundle.path, durableObjects: { OUTBOX: "Outbox" } });
  },
};
