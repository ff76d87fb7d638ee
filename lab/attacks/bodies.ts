import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";

import type { Attack, Target } from "./attack.ts";

const JSON_TYPE = { "content-type": "application/json" };
const KIB = 1024;

interface Result {
  readonly id: string;
  readonly status: string;
  readonly data?: unknown;
  readonly error?: { readonly code: string };
}

const any = (path: string, n: number | string): object => ({
  id: `any${n}`,
  tool: "probe-any",
  args: { path: `${path}?n=${n}` },
});
const write = { id: "write", tool: "probe-write", args: { n: 1 } };
const small = { id: "small", tool: "probe-echo", args: { n: 7 } };

async function run({ execute }: Target, actions: readonly object[]): Promise<ReadonlyMap<string, Result>> {
  const answer = await execute({ actions });
  assert.equal(answer.status, 200);
  const { results } = JSON.parse(answer.text) as { readonly results: readonly Result[] };
  const byId = new Map(results.map((result) => [result.id, result]));
  if (byId.has("write")) assert.equal(byId.get("write")?.status, "success");
  if (byId.has("small")) assert.deepEqual(byId.get("small")?.data, { path: "/echo", n: 7 });
  return byId;
}

/**
 * Expect every action but the small read and the write to be too large. Where one busy machine is all of the upstreams,
 * some run out of time before that.
 */
function expectTooLarge(results: ReadonlyMap<string, Result>): void {
  assert.deepEqual(codesOf(results), ["RESPONSE_TOO_LARGE"]);
}

/** The codes of the results, each word once, besides running out of time. */
function codesOf(results: ReadonlyMap<string, Result>): string[] {
  const asked = [...results.values()].filter(({ id }) => id.startsWith("any"));
  const codes = new Set(asked.map(({ status, error }) => error?.code ?? status));
  return [...codes].filter((code) => code !== "TIMEOUT" && code !== "CIRCUIT_OPEN");
}

function countOf(results: ReadonlyMap<string, Result>, code: string): number {
  return [...results.values()].filter(
    ({ id, status, error }) => id.startsWith("any") && (error?.code ?? status) === code,
  ).length;
}

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Send a head of one's own and 400 MB in chunks behind it; gives how much was written when the other side hung up. */
function flood({ upstream }: Target, head: string): () => number {
  let written = 0;
  const piece = "x".repeat(200_000);
  const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
  upstream.script("/flood", (_, response: ServerResponse) => {
    const socket = response.socket!;
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n${head}\r\n\r\n`);
    const pour = (): void => {
      while (written < 400_000_000 && !socket.destroyed) {
        written += piece.length;
        if (!socket.write(chunk)) return void socket.once("drain", pour);
      }
      socket.destroy();
    };
    pour();
  });
  return () => written;
}

/** Upstreams whose bodies are larger, longer or fuller than they say or than anyone can hold. */
export const BODY_ATTACKS: readonly Attack[] = [
  ...[
    "content-length: 10\r\ntransfer-encoding: chunked",
    "transfer-encoding: chunked\r\ncontent-length: 10",
    "content-length: 10\r\ntransfer-encoding: gzip, chunked",
    "content-length: 10\r\nTransfer-Encoding: identity",
    "transfer-encoding: chunked\r\ncontent-length: 10, 10",
  ].map((head): Attack => ({
    title: `bodies: 400 MB behind ${JSON.stringify(head)} are read to the cap`,
    run: async (target) => {
      const written = flood(target, head);
      expectTooLarge(await run(target, [any("/flood", 1), small]));
      // Bytes in the sockets' buffers were written as well.
      assert.ok(written() < 30_000_000, `${written()} bytes were sent`);
    },
  })),
  {
    title: "bodies: 20 reads of 900 KiB at once, of which 18 fit",
    run: async (target) => {
      const body = JSON.stringify("x".repeat(900 * KIB - 2));
      target.upstream.script("/large", (_, response) => void response.writeHead(200, JSON_TYPE).end(body));
      const results = await run(target, [...range(20).map((n) => any("/large", n)), write, small]);
      assert.ok(countOf(results, "RESPONSE_TOO_LARGE") <= 3);
    },
  },
  ...[17, 48].map((count): Attack => ({
    title: `bodies: ${count} endless ones beside a small read and a write`,
    run: async (target) => {
      const endless = range(count).map((n) => any("/endless", n));
      const results = await run(target, [...endless, write, small]);
      expectTooLarge(results);
    },
  })),
  {
    title: "bodies: 18 reads of 900 KiB are held when a small read and a write are answered",
    run: async (target) => {
      const body = JSON.stringify("x".repeat(900 * KIB - 2));
      target.upstream.script("/large", (_, response) => void response.writeHead(200, JSON_TYPE).end(body));
      const large = range(18).map((n) => any("/large", n));
      const after = { depends_on: range(12).map((n) => `any${n}`) };
      await run(target, [...large, { ...write, ...after }, { ...small, ...after }]);
    },
  },
  {
    title: "bodies: 1,250 that stall after 60 KiB beside a write",
    run: async (target) => {
      target.upstream.script("/stall", (_, response) => {
        response.writeHead(200, JSON_TYPE).write(`"${"x".repeat(60 * KIB)}`);
      });
      const loops = range(48).map((n) => ({
        tool: "probe-any",
        args: { path: { $template: `/stall?n=${n}-{{item#}}` } },
        for_each: range(25),
      }));
      await run(target, [...loops, write]);
    },
  },
  {
    title: "bodies: 40 endless answers to background writes beside a small read and a write",
    run: async (target) => {
      const endless = (response: ServerResponse): void => {
        response.writeHead(200, JSON_TYPE);
        const timer = setInterval(() => response.write(" ".repeat(64 * KIB)), 1);
        response.once("close", () => clearInterval(timer));
      };
      target.upstream.script("/background", (_, response) => endless(response));
      const jobs = range(40).map((n) => ({ tool: "probe-background", args: { n } }));
      await run(target, [...jobs, write, small]);
      await run(target, [write, small]);
    },
  },
  {
    title: "bodies: 16 times a million bytes of empty objects",
    run: async (target) => {
      const body = `[${"{},".repeat(333_000)}{}]`;
      target.upstream.script("/values", (_, response) => void response.writeHead(200, JSON_TYPE).end(body));
      expectTooLarge(await run(target, [...range(16).map((n) => any("/values", n)), write, small]));
    },
  },
  {
    title: "bodies: 48 times 240 KiB of empty objects, of which five fit",
    run: async (target) => {
      const body = `[${"{},".repeat(80_000)}{}]`;
      target.upstream.script("/values", (_, response) => void response.writeHead(200, JSON_TYPE).end(body));
      const results = await run(target, [...range(48).map((n) => any("/values", n)), write, small]);
      assert.ok(countOf(results, "success") <= 5);
      assert.deepEqual(codesOf(results).toSorted(), ["RESPONSE_TOO_LARGE", "success"]);
    },
  },
];
