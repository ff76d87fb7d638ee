import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import { afterAll, beforeAll, expect, test } from "vitest";

import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { runHere } from "../../src/package/client.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

/* A batch of tools in this process and of the sandbox, over a socket that breaks. */

const { volley, upstream } = await setUpSandbox();

/** The requests that break: without having arrived there, or with their answer on the way. */
const cuts = new Map<number, "before" | "after">();
const bodies: string[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    const answerWhole = async (): Promise<void> => {
      const body = Buffer.concat(chunks).toString();
      const cut = cuts.get(bodies.push(body));
      if (cut === "before") return void request.socket.destroy();
      const { authorization, "idempotency-key": key } = request.headers as Record<string, string>;
      const headers = {
        authorization: authorization!,
        "idempotency-key": key!,
        "content-type": "application/json",
      };
      const answer = await fetch(volley.url + request.url, { method: "POST", headers, body });
      const text = await answer.text();
      if (cut === "after") return void request.socket.destroy();
      response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
    };
    request.on("end", () => void answerWhole());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test("Writes on both sides are sent once, though the connection of each part breaks", async () => {
  const written: unknown[] = [];
  const save = defineTool({
    name: "save",
    description: "Save a number.",
    input: z.object({ n: z.number() }),
    run: async ({ n }) => {
      written.push(n);
      return { saved: n };
    },
  });
  const { port } = server.address() as AddressInfo;
  const run = runHere({
    url: `http://127.0.0.1:${port}`,
    key: "sandbox-key",
    sleep: async () => {},
    tools: [save],
  });
  cuts.set(1, "after").set(3, "before").set(4, "after");
  const { results, parts } = await run({
    actions: [
      { id: "found", tool: "probe-search", args: { q: "x" } },
      { id: "first", tool: "probe-write", args: { n: 1 } },
      { id: "here", tool: "save", args: { n: { $ref: "first#/n" } }, depends_on: ["found"] },
      { id: "again", tool: "save", args: { n: 2 } },
      { id: "second", tool: "probe-write", args: { n: { $ref: "here#/saved" } } },
      { id: "echo", tool: "probe-echo", args: { n: { $ref: "again#/saved" } } },
    ],
  });
  expect(results.map(({ id, status }) => [id, status])).toEqual(
    ["found", "first", "here", "again", "second", "echo"].map((id) => [id, "success"]),
  );
  expect(new Set(written)).toEqual(new Set([1, 2]));
  expect(written).toHaveLength(2);
  expect(upstream.requestsTo("/write").map(({ body }) => (JSON.parse(body) as { n: number }).n)).toEqual([
    1, 1,
  ]);
  expect(bodies.length).toBeGreaterThanOrEqual(5);
  expect(new Set(parts.map(({ batch_id: id }) => id)).size).toBe(parts.length);
});

test("A write whose answer never comes back is unknown, and was sent once", async () => {
  const { port } = server.address() as AddressInfo;
  const run = runHere({
    url: `http://127.0.0.1:${port}`,
    key: "sandbox-key",
    sleep: async () => {},
    tools: [],
  });
  const before = bodies.length;
  for (const n of [1, 2, 3]) cuts.set(before + n, "after");
  const { results } = await run({ actions: [{ tool: "probe-write", args: { n: 9 } }] });
  expect(results[0]).toMatchObject({ status: "unknown", meta: { in_doubt: true } });
  expect(bodies).toHaveLength(before + 3);
  expect(upstream.requestsTo("/write").filter(({ body }) => body.includes('"n":9'))).toHaveLength(1);
});
