import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";
import { times } from "./hostile-data.ts";

const MCP = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };

/** Bodies and addresses that other endpoints take long to read. */
export const REQUEST_ATTACKS: readonly Attack[] = [
  {
    title: "requests: previews of shell commands of 62 KB",
    run: async ({ send }) => {
      for (const command of [
        "a|".repeat(31_000),
        `cat ${"x ".repeat(31_000)}`,
        `grep ${"'a'\"b\"\\c".repeat(7_000)}`,
        `git log ${"--oneline ".repeat(6_000)}`,
        `ls ${"{a,b}*?".repeat(8_000)}`,
        `echo ${"$x${y}!".repeat(8_000)}`,
        "#".repeat(62_000),
        `cat <<${"E".repeat(61_000)}`,
      ]) {
        const tools = times(3, (n) => ({ id: `${n}`, toolName: "bash", input: { command } }));
        const answer = await send("/api/orchestration/partition", { tools });
        assert.equal(answer.status, 200);
      }
    },
  },
  {
    title: "requests: a preview of 1,000 calls",
    run: async ({ send }) => {
      const tools = times(1_000, (n) => ({
        id: `${n}`,
        toolName: "bash",
        input: { command: "git status | head; ls -la && cat x.txt" },
      }));
      assert.equal((await send("/api/orchestration/partition", { tools })).status, 200);
    },
  },
  {
    title: "requests: turns of thousands of calls",
    run: async ({ send }) => {
      const calls = times(3_000, (n) => ({
        type: "tool_use",
        id: `t${n}`,
        name: "probe-echo",
        input: { n },
      }));
      assert.equal((await send("/v1/anthropic/tool_use", { content: calls })).status, 422);
      const batches = times(2_500, (n) => ({
        id: `t${n}`,
        type: "function",
        function: { name: "execute_actions", arguments: "{}" },
      }));
      assert.equal((await send("/v1/openai/tool_calls", batches)).status, 200);
      const notes = times(12_000, (n) => ({ type: "text", text: `${n}` }));
      await send("/v1/anthropic/tool_use", { content: notes });
    },
  },
  {
    title: "requests: a conversation of 250 KB without a call",
    run: async ({ send }) => {
      const messages = times(4_000, (n) => ({ role: "user", content: [{ type: "text", text: `${n}` }] }));
      await send("/v1/openai/tool_calls", { messages });
    },
  },
  {
    title: "requests: a JSON-RPC batch of 3,000 at /mcp",
    run: async ({ send }) => {
      await send(
        "/mcp",
        times(3_000, (id) => ({ jsonrpc: "2.0", id, method: "tools/list" })),
        MCP,
      );
    },
  },
  {
    title: "requests: an MCP call with 120,000 wrong things in the message itself",
    run: async ({ send }) => {
      await send(
        "/mcp",
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: times(120_000, () => 0) },
        MCP,
      );
      await send(
        "/mcp",
        {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "probe-echo", arguments: { n: times(120_000, () => 0) } },
        },
        MCP,
      );
    },
  },
  {
    title: "requests: 250 KB of broken JSON",
    run: async ({ send }) => {
      for (const body of [
        "[".repeat(250_000),
        "\n".repeat(250_000),
        `{"a":${"1".repeat(250_000)}`,
        `"${"\\u00".repeat(60_000)}`,
      ])
        assert.ok((await send("/v1/execute_actions", body)).status >= 400);
    },
  },
  {
    title: "requests: a query of 15 KB",
    run: async ({ get }) => {
      const queries = [
        "a=".repeat(7_500),
        "&".repeat(15_000),
        "limit=1&".repeat(1_900),
        `cursor=${"%25".repeat(5_000)}`,
      ];
      for (const query of queries) assert.ok((await get(`/v1/jobs?${query}`)).status < 500);
    },
  },
  {
    title: "requests: the document, the tools and the schemas of all of them",
    run: async ({ get, send }) => {
      const all = { limit: 50, detail: "schema" };
      for (const path of ["/openapi.json", "/v1/tools", "/v1/tools?format=openai"])
        assert.equal((await get(path)).status, 200);
      assert.equal((await send("/v1/discover_tools", all)).status, 200);
    },
  },
];
