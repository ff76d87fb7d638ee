import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";
import { answering, countCode, times } from "./hostile-data.ts";

const ZEROS = times(30_000, () => 0);

/** Attacks that make a schema find much that is wrong, or look long. */
export const SCHEMA_ATTACKS: readonly Attack[] = [
  {
    title: "schemas: 120,000 things wrong with four lists",
    run: async ({ execute }) => {
      const actions = times(4, () => ({ tool: "rerank", args: { query: "x", documents: ZEROS } }));
      assert.equal(countCode(await execute({ actions }), "INVALID_ARGS"), 4);
    },
  },
  {
    title: "schemas: 120,000 addresses that are none, in a dry run",
    run: async ({ execute }) => {
      const args = { to: ZEROS, subject: "x", body: "x" };
      const answer = await execute({
        dry_run: true,
        actions: times(4, () => ({ tool: "send_email", args })),
      });
      assert.equal(answer.status, 200);
    },
  },
  {
    title: "schemas: 80,000 rows of wrong contacts",
    run: async ({ execute }) => {
      const actions = times(4, () => ({
        tool: "create_contacts",
        args: { contacts: times(20_000, () => ({})) },
      }));
      assert.equal(countCode(await execute({ actions }), "INVALID_ARGS"), 4);
    },
  },
  {
    title: "schemas: 120,000 things wrong in a model's turn",
    run: async ({ send }) => {
      const answer = await send(
        "/v1/anthropic/tool_use",
        times(4, (n) => ({
          type: "tool_use",
          id: `t${n}`,
          name: "rerank",
          input: { query: "x", documents: ZEROS },
        })),
      );
      assert.equal(answer.status, 200);
    },
  },
  {
    title: "schemas: 120,000 things wrong over MCP",
    run: async ({ send }) => {
      const actions = times(4, () => ({ tool: "rerank", args: { query: "x", documents: ZEROS } }));
      const call = { name: "execute_actions", arguments: { actions } };
      const answer = await send(
        "/mcp",
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: call },
        { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
      );
      assert.equal(answer.status, 200);
    },
  },
  {
    title: "schemas: an action whose depends_on and select hold 100,000 wrong things",
    run: async ({ execute }) => {
      const answer = await execute({
        actions: [
          {
            tool: "probe-echo",
            args: { n: 1 },
            depends_on: times(60_000, () => 0),
            select: times(60_000, () => 0),
          },
        ],
      });
      assert.equal(countCode(answer, "INVALID_ACTION"), 1);
    },
  },
  {
    title: "schemas: addresses that a backtracking pattern takes long for",
    run: async ({ execute }) => {
      const to = [`a@${".".repeat(60_000)}@`];
      const actions = times(4, () => ({ tool: "send_email", args: { to, subject: "x", body: "x" } }));
      assert.equal(countCode(await execute({ actions }), "INVALID_ARGS"), 4);
    },
  },
  {
    title: "schemas: a request of discovery with 120,000 wrong filters",
    run: async ({ send }) => {
      const answer = await send("/v1/discover_tools", {
        queries: times(60_000, () => 0),
        categories: times(60_000, () => 0),
      });
      assert.equal(answer.status, 422);
    },
  },
  {
    title: "schemas: 1,225 elements with 2,000 unknown fields each",
    run: async ({ upstream, execute }) => {
      const element = Object.fromEntries(times(2_000, (n) => [`n${n}`, 0]));
      upstream.script("/big", answering(times(25, () => element)));
      const loops = times(49, () => ({
        tool: "probe-echo",
        args: { $ref: "item#" },
        for_each: { $ref: "big#" },
      }));
      const answer = await execute({
        actions: [{ id: "big", tool: "probe-any", args: { path: "/big" } }, ...loops],
      });
      assert.equal(countCode(answer, "INVALID_ARGS"), 49);
    },
  },
  {
    title: "schemas: 1,225 lists of 100 documents that are neither text nor document",
    run: async ({ upstream, execute }) => {
      const element = Object.fromEntries(times(60, (n) => [`n${n}`, 0]));
      upstream.script("/big", answering(times(100, () => element)));
      const loops = times(49, () => ({
        tool: "rerank",
        args: { query: { $template: "{{item#}}" }, documents: { $ref: "big#" } },
        for_each: times(25, (n) => n),
      }));
      const answer = await execute({
        actions: [{ id: "big", tool: "probe-any", args: { path: "/big" } }, ...loops],
      });
      assert.equal(countCode(answer, "INVALID_ARGS"), 49);
    },
  },
];
