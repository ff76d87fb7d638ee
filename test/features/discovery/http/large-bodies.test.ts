import * as z from "zod";
import { expect } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { trial } from "../../../support/trial.ts";

const SLOW = "https://api.example.com/slow";
const keep = defineTool({
  name: "keep",
  summary: "Keep what it is given for longer than a request waits for its turn",
  description: "A tool of a test.",
  category: "test",
  actions: ["search"],
  isWrite: false,
  execution: "sync",
  input: z.strictObject({ given: z.array(z.unknown()).optional() }),
  hosts: ["api.example.com"],
  timeoutMs: 30_000,
  orchestration: { mode: "parallel-safe" },
  run: async (_, ctx) => (await ctx.fetch(SLOW)).json(),
});
/** 180 KB, and 60,000 values, which take several megabytes of memory. */
const action = { tool: "keep", args: { given: Array.from({ length: 20_000 }, () => ({})) } };
const actions = [action, action, action];

async function open() {
  const volley = await createTestVolley({
    tools: [keep],
    features: [discovery()],
    routes: { [`GET ${SLOW}`]: (_, { sleep }) => sleep(LIMITS.bytesWaitMs + 5_000).then(() => ({})) },
  });
  const headers = { "content-type": "application/json" };
  const send = (path: string, body: object, more = {}) =>
    volley.fetch(path, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
  return { volley, send, execute: (body: object, more = {}) => send("/v1/execute_actions", body, more) };
}

trial.each([
  ["one document", {}],
  ["events", { accept: "text/event-stream" }],
])(
  "T44 large bodies at once wait for their turn, answered as %s, and a small one does not",
  async (_, headers) => {
    const { execute, volley } = await open();
    const batch = { actions, deadline_ms: 60_000 };
    const large = Promise.all(Array.from({ length: 12 }, () => execute(batch, headers)));
    const small = await execute({ actions: [{ tool: "discover_tools", args: {} }] });
    expect(small.status).toBe(200);
    const statuses = (await large).map(({ status }) => status);
    // One request leads, and beside it nine of them have room.
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 503)).toHaveLength(2);
    await volley.advance(1);
    expect((await execute(batch, headers)).status).toBe(200);
  },
);

trial("T44 a large body that nothing runs for is let go with its refusal", async () => {
  const { send, execute } = await open();
  for (let sent = 0; sent < 12; sent += 1) {
    expect((await execute({ actions, on_error: "never" })).status).toBe(422);
    const unnamed = { tool_name: "", parameters: action.args };
    expect((await send("/v1/invoke_tool", unnamed)).status).toBe(422);
  }
  expect((await execute({ actions, dry_run: true })).status).toBe(200);
});
