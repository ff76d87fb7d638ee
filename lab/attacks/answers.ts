import assert from "node:assert/strict";

import * as LIMITS from "../../src/core/contract/limits.ts";
import type { Answered, Attack, Target } from "./attack.ts";

/** An answer has headers and a shell around what is bounded, and both are counted: this is the bound itself. */
const MOST = LIMITS.answerBytes;

const MEGABYTE = "/megabyte";
const ELEMENTS = Array.from({ length: LIMITS.loopElements }, (_, n) => n);
const write = { id: "write", tool: "probe-write", args: { n: 1 } };
const small = { id: "small", tool: "probe-echo", args: { n: 7 } };

/** So many loops, each over 25 copies of one read of a megabyte. */
function loops(count: number, more: object = {}): object[] {
  return Array.from({ length: count }, () => ({
    tool: "probe-any",
    args: { path: MEGABYTE },
    for_each: ELEMENTS,
    ...more,
  }));
}

interface Result {
  readonly id: string;
  readonly status: string;
  readonly data?: unknown;
  readonly error?: { readonly code: string };
}

/** Check every rule of an envelope: it is one, the write happened, the small one is whole, and data without room says so. */
function check(answer: Answered, envelope = answer.text, most = MOST): readonly Result[] {
  assert.equal(answer.status, 200);
  assert.ok(answer.bytes <= most, `${answer.bytes} bytes were answered`);
  const { results } = JSON.parse(envelope) as { readonly results: readonly Result[] };
  const byId = new Map(results.map((result) => [result.id, result]));
  if (byId.has("write")) assert.equal(byId.get("write")?.status, "success");
  if (byId.has("small")) assert.deepEqual(byId.get("small")?.data, { path: "/echo", n: 7 });
  for (const { status, error } of results)
    if (status !== "success") assert.equal(error?.code, "RESPONSE_TOO_LARGE");
  return results;
}

function serve({ upstream }: Target, body: string = JSON.stringify({ text: "x".repeat(1_000_000) })): void {
  upstream.script(
    MEGABYTE,
    (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end(body),
  );
}

const TURN = (actions: object[], calls = 1): object => ({
  choices: [
    {
      message: {
        role: "assistant",
        tool_calls: Array.from({ length: calls }, (_, n) => ({
          id: `call_${n}`,
          type: "function",
          function: { name: "execute_actions", arguments: JSON.stringify({ actions }) },
        })),
      },
    },
  ],
});

/** Attacks that put many copies of a small read into an answer. */
export const ANSWER_ATTACKS: readonly Attack[] = [
  {
    title: "answers: one plain read, to compare the others with",
    run: async ({ execute }) => void check(await execute({ actions: [small] })),
  },
  {
    title: "answers: a write and 22 loops of 25 over one read of 1 MB",
    run: async (target) => {
      serve(target);
      check(await target.execute({ actions: [write, ...loops(22), small] }));
      assert.equal(target.upstream.requestsTo(MEGABYTE).length, 1);
    },
  },
  {
    title: "answers: 50 loops of 25 over one read of 1 MB",
    run: async (target) => {
      serve(target);
      const results = check(await target.execute({ actions: loops(50) }));
      assert.equal(results[0]?.status, "success");
    },
  },
  {
    title: "answers: 50 loops of 25 over one read of 1 MB, each with a select of its own",
    run: async (target) => {
      serve(target);
      const actions = loops(48).map((loop, n) => ({ ...loop, select: ["/text", `/none${n}`] }));
      check(await target.execute({ actions: [write, ...actions, small] }));
    },
  },
  {
    title: "answers: 50 loops of 25 over one read of 16,000 objects, each with a select of its own",
    run: async (target) => {
      serve(
        target,
        JSON.stringify({
          list: Array.from({ length: 16_000 }, (_, n) => ({ id: n, name: "some name of it" })),
        }),
      );
      const actions = loops(48).map((loop, n) => ({ ...loop, select: ["/list", `/none${n}`] }));
      check(await target.execute({ actions: [write, ...actions, small] }));
    },
  },
  {
    title: "answers: 50 loops of 25 over one read of 1 MB, fitted into a million tokens",
    run: async (target) => {
      serve(target);
      check(await target.execute({ actions: [write, ...loops(48), small], max_tokens: 1_000_000 }));
    },
  },
  {
    title: "answers: 22 loops of 25 over one read of 1 MB, under a key and replayed",
    run: async (target) => {
      serve(target);
      const headers = { "idempotency-key": "answers" };
      const batch = { actions: [write, ...loops(22), small] };
      check(await target.execute(batch, headers));
      check(await target.execute(batch, headers));
    },
  },
  {
    title: "answers: 22 loops of 25 over one read of 1 MB, as events",
    run: async (target) => {
      serve(target);
      const batch = { actions: [write, ...loops(22), small] };
      const answer = await target.execute(batch, { accept: "text/event-stream" });
      const done = /event: done\ndata: (.*)/.exec(answer.text);
      assert.equal(answer.text.match(/^event: result$/gm)?.length, 24);
      // Each result is an event, and in the last one.
      check(answer, done?.[1], 2 * MOST);
    },
  },
  {
    title: "answers: a turn of two batches of 20 loops of 25 over one read of 1 MB",
    run: async (target) => {
      serve(target, JSON.stringify({ text: '"'.repeat(500_000) }));
      const answer = await target.send("/v1/openai/tool_calls", TURN([write, ...loops(20), small], 2));
      const { messages } = JSON.parse(answer.text) as { readonly messages: { readonly content: string }[] };
      for (const { content } of messages) check(answer, content);
    },
  },
  {
    title: "answers: a turn of 22 loops of 25 over one read of 1 MB, as events",
    run: async (target) => {
      serve(target);
      const answer = await target.send("/v1/openai/tool_calls", TURN([write, ...loops(20), small], 2), {
        accept: "text/event-stream",
      });
      assert.equal(answer.status, 200);
      assert.ok(answer.bytes <= 2 * MOST, `${answer.bytes} bytes were answered`);
      assert.match(answer.text, /^event: done$/m);
    },
  },
  {
    title: "answers: 22 loops of 25 over one read of 1 MB, over MCP",
    run: async (target) => {
      serve(target);
      const answer = await target.send(
        "/mcp",
        {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "execute_actions", arguments: { actions: [write, ...loops(22), small] } },
        },
        { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" },
      );
      assert.equal(answer.status, 200);
      const { result } = JSON.parse(answer.text) as {
        readonly result: { readonly structuredContent: object };
      };
      check(answer, JSON.stringify(result.structuredContent));
    },
  },
  {
    title: "answers: 20 calls of the Orchestration API that read one megabyte",
    run: async (target) => {
      serve(target);
      const tools = Array.from({ length: 20 }, (_, n) => ({
        id: String(n),
        toolName: n === 0 ? "probe-write" : "probe-any",
        input: n === 0 ? { n: 1 } : { path: MEGABYTE },
      }));
      const answer = await target.send("/api/orchestration/batch", { tools });
      assert.equal(answer.status, 200);
      assert.ok(answer.bytes <= MOST, `${answer.bytes} bytes were answered`);
    },
  },
  {
    title: "answers: 1,250 schemas of tools",
    run: async ({ execute }) => {
      const actions = Array.from({ length: 50 }, () => ({
        tool: "get_tool_schema",
        args: { tool_name: "google-maps-search" },
        for_each: ELEMENTS,
      }));
      check(await execute({ actions }));
    },
  },
  {
    title: "answers: 1,250 discoveries",
    run: async ({ execute }) => {
      const actions = Array.from({ length: 50 }, (_, n) => ({
        tool: "discover_tools",
        args: { query: `read ${n}`, limit: 50 },
        for_each: ELEMENTS,
      }));
      check(await execute({ actions }));
    },
  },
];
