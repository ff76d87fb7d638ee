import { describe, expect, test } from "vitest";

import { openPairs } from "./pair-world.ts";
import { trial } from "../support/trial.ts";

const TO = { to: "ada" };
const pay = (args: object = TO, tool = "pay") => [{ id: "pay", tool, args }];

/** A world in which somebody has said yes for an hour to one call. */
async function remember(tool = "pay") {
  const world = await openPairs();
  const [{ confirmation }] = (await world.run(pay(TO, tool))).results;
  await world.approve(confirmation.id as string, { remember_s: 3_600 });
  await world.volley.advance(1_000);
  world.sent.length = 0;
  return world;
}
type World = Awaited<ReturnType<typeof remember>>;

const call = (args: object) => ({ name: "pay", arguments: JSON.stringify(args) });
const mcp = async ({ send }: World, args: object, more: object = {}) => {
  const isNew = Object.keys(more).length > 0;
  const version = isNew ? "2026-07-28" : "2025-06-18";
  return send(
    "POST",
    "/mcp?surface=flat",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pay", arguments: args, ...more } },
    {
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      ...(isNew && { "mcp-method": "tools/call", "mcp-name": "pay" }),
    },
  );
};
const TASKS = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {
      elicitation: { url: {} },
      extensions: { "io.modelcontextprotocol/tasks": {} },
    },
  },
};

describe("A yes that is remembered", () => {
  trial.each<[string, (world: World, args: object) => Promise<unknown>]>([
    [
      "a provider's turn",
      ({ send }, args) =>
        send("POST", "/v1/openai/tool_calls", {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c", type: "function", function: call(args) }],
        }),
    ],
    [
      "a round of a conversation",
      ({ send, says }, args) => {
        says.push(
          { content: null, tool_calls: [{ id: "c", type: "function", function: call(args) }] },
          { content: "Done." },
        );
        return send("POST", "/v1/chat/completions", { messages: [{ role: "user", content: "Pay" }] });
      },
    ],
    ["a call over MCP", (world, args) => mcp(world, args)],
    ["a call of a client with tasks", (world, args) => mcp(world, args, TASKS)],
  ])("holds at %s, for the same call alone", async (_, ask) => {
    const world = await remember();
    await ask(world, TO);
    expect(world.sent).toEqual(["/pay/ada"]);
    expect((await world.send("GET", "/v1/confirmations?status=pending")).body.confirmations).toEqual([]);
    await ask(world, { to: "eve" });
    expect(world.sent).toEqual(["/pay/ada"]);
    const { confirmations } = (await world.send("GET", "/v1/confirmations?status=pending")).body;
    expect(confirmations).toHaveLength(1);
  });

  test("lets a background action become a job at once, under the key that was asked", async () => {
    const { run, send, volley, sent } = await remember("pay_later");
    const [result] = (await run(pay(TO, "pay_later"))).results;
    expect(result.status).toBe("initiated");
    await volley.advance(1_000);
    expect(sent).toEqual(["/pay/ada"]);
    const { jobs } = (await send("GET", "/v1/jobs?tool=pay_later")).body;
    expect(jobs.map(({ job_id: id }: { job_id: string }) => id)).toContain(result.job_id);
    expect(jobs).toHaveLength(2);
    expect((await run(pay({ to: "eve" }, "pay_later"))).results[0].status).toBe("pending_confirmation");
  });

  trial("leaves a run that has succeeded, and that waits for no decision", async () => {
    const { run, send, volley } = await remember();
    const { batch_id: id } = await run(pay());
    await volley.advance(3_000);
    const found = (await send("GET", `/v1/runs/${id}`)).body;
    expect(found).toMatchObject({ status: "success", actions: [{ status: "success" }] });
    expect(found.actions[0]).not.toHaveProperty("confirmation");
  });

  trial("is to each element of a subject's loop, and to none of another subject's", async () => {
    const { run, approve } = await openPairs();
    const loop = [{ tool: "pay", args: { to: { $ref: "item#" } }, for_each: ["ada", "eve"] }];
    const [{ confirmation }] = (await run(loop, { subject: "ada" })).results;
    await approve(confirmation.id as string, { remember_s: 60 });
    expect((await run(loop, { subject: "ada" })).results[0].status).toBe("success");
    expect((await run(loop, { subject: "bob" })).results[0].status).toBe("pending_confirmation");
    expect((await run(loop)).results[0].status).toBe("pending_confirmation");
  });
});
