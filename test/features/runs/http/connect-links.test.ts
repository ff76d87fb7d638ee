import * as z from "zod/mini";
import { expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { openConnections } from "../../connections/http/connection-world.ts";
import { base, mailbox } from "../../connections/http/mailbox-tool.ts";

const folder = defineTool({
  ...base,
  name: "folder",
  input: z.strictObject({ of: z.string() }),
  connection: "acme",
  run: async () => null,
});

const says = defineTool({
  ...base,
  name: "says",
  run: async () => [{ connect_url: "https://shop.acme.dev/hello", n: 1 }],
});

const ACTIONS = [
  { id: "one", tool: "mailbox" },
  { id: "each", tool: "folder", for_each: ["a", "b"], args: { of: { $ref: "item#" } } },
  { id: "other", tool: "says" },
];

test.each([
  ["a failure", "error"],
  ["a question", "park"],
])(
  "T52 The link by which a person connects an account is in the answer alone: of %s no run keeps it",
  async (_, onConnection) => {
    const { volley, send } = await openConnections({
      tools: [mailbox, folder, says],
      features: [addedTools(), runs()],
      key: { flags: ["approve", "manage_connections", "manage_keys", "manage_tools"] },
    });
    const { body } = await send("POST", "/v1/execute_actions", {
      subject: "ada",
      on_connection: onConnection,
      actions: ACTIONS,
    });
    const isQuestion = onConnection === "park";
    const [one] = body.results;
    expect(isQuestion ? one.connect_url : one.error.connect_url).toMatch(/\/connect\/test\/cn_/);
    await volley.advance(3_000);
    const path = `/v1/runs/${body.batch_id as string}`;
    const run = (await send("GET", path)).body;
    const events = await volley.fetch(path, { headers: { accept: "text/event-stream" } });
    const exported = (await send("GET", "/v1/export")).body;
    const texts = [
      JSON.stringify(run),
      await events.text(),
      JSON.stringify((exported as { readonly runs: unknown }).runs),
    ];
    for (const text of texts) {
      expect(text).toContain(isQuestion ? "pending_confirmation" : "CONNECTION_REQUIRED");
      expect(text).not.toMatch(/\/connect\/|cn_/);
    }
    const field = isQuestion ? "confirmation" : "error";
    expect(run.actions[0]).toMatchObject({ redacted: [field], [field]: expect.any(Object) });
    // The answer of an upstream is data, whatever names it has.
    expect(run.actions[2]).toMatchObject({ data: [{ connect_url: "https://shop.acme.dev/hello", n: 1 }] });
    expect(run.actions[2]).not.toHaveProperty("redacted");
  },
);
