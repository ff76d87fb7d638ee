import { describe, expect } from "vitest";

import { openApprovals } from "./approval-world.ts";
import { trial } from "../../../support/trial.ts";

const YES = { decision: "approve", remember_s: 3_600 };
const PAID = { amount: 5, to: "Ada" };
const batchOf = (tool: string, args: object = {}) => ({ actions: [{ id: "a", tool, args }] });

/** A deployment in which ann has said yes for an hour to what the asker asked. */
async function remember(tool = "pay", args: object = PAID, more: object = {}, by = "ann") {
  const world = await openApprovals();
  const question = await world.ask(tool, args);
  const decided = await world.decide(question, { ...YES, ...more }, by);
  expect(decided.status).toBe(200);
  const statusOf = async (called: object, as?: string): Promise<string> =>
    (await world.run(batchOf(tool, called), as))[0].status;
  const list = async (as?: string) => (await world.send("GET", "/v1/remembered", undefined, as)).body;
  return { ...world, question, statusOf, list };
}

describe("A yes that is remembered", () => {
  trial(
    "lets the same tool, key and arguments through till then, and the result says whose it was",
    async () => {
      const { run, list, volley, statusOf } = await remember();
      const [result] = await run(batchOf("pay", { to: "Ada", amount: 5 }));
      const [{ id }] = (await list()).remembered;
      expect(result).toMatchObject({
        status: "success",
        meta: { approved_by: { remembered: id, name: "ann" } },
      });
      await volley.advance(3_599_000);
      expect(await statusOf(PAID)).toBe("success");
      await volley.advance(1_000);
      expect(await statusOf(PAID)).toBe("pending_confirmation");
      expect((await list()).remembered).toEqual([]);
    },
  );

  trial("is none for other arguments, another tool, another key or another tenant", async () => {
    const { run, statusOf } = await remember();
    for (const other of [{ amount: 6, to: "Ada" }, { amount: 5 }, { ...PAID, to: "ada" }])
      expect(await statusOf(other)).toBe("pending_confirmation");
    expect((await run(batchOf("wipe", PAID)))[0].status).toBe("pending_confirmation");
    expect(await statusOf(PAID, "second")).toBe("pending_confirmation");
    expect(await statusOf(PAID, "stranger")).toBe("pending_confirmation");
    expect(await statusOf(PAID)).toBe("success");
  });

  trial("with any_args lets all arguments through, also those that references bring", async () => {
    const { run, list } = await remember("pay", PAID, { any_args: true });
    const results = await run({
      actions: [
        { id: "a", tool: "pay", args: { amount: 99 } },
        { id: "b", tool: "pay", args: { amount: { $ref: "a#/paid/amount" } } },
      ],
    });
    expect(results.map(({ status }: { status: string }) => status)).toEqual(["success", "success"]);
    expect((await list()).remembered).toEqual([
      {
        id: expect.any(String),
        tool: "pay",
        key: "asker",
        any_args: true,
        decided_by: { name: "ann", via: "key" },
        until: "2026-01-01T01:00:00.000Z",
      },
    ]);
  });

  trial("knows arguments that references bring, once they are there", async () => {
    const { run } = await remember();
    const results = await run({
      actions: [
        { id: "a", tool: "pay", args: PAID },
        { id: "same", tool: "pay", args: { amount: { $ref: "a#/paid/amount" }, to: "Ada" } },
        { id: "other", tool: "pay", args: { amount: { $ref: "a#/paid/amount" }, to: "Eve" } },
      ],
    });
    expect(results.map(({ status }: { status: string }) => status)).toEqual([
      "success",
      "success",
      "pending_confirmation",
    ]);
    expect(results[1].meta.approved_by.name).toBe("ann");
  });

  trial("is to the arguments as they ran, those that a person wrote", async () => {
    const { statusOf } = await remember("pay", PAID, { args: { a: { amount: 4, to: "Ada" } } });
    expect(await statusOf(PAID)).toBe("pending_confirmation");
    expect(await statusOf({ amount: 4, to: "Ada" })).toBe("success");
  });

  trial("is to each element of a loop", async () => {
    const world = await openApprovals();
    const [{ confirmation }] = await world.run({
      actions: [{ tool: "pay", args: { amount: { $ref: "item#" } }, for_each: [1, 2] }],
    });
    await world.decide(confirmation.id, YES);
    const statuses = async (...amounts: readonly number[]) =>
      (
        await world.run({
          actions: [{ tool: "pay", args: { amount: { $ref: "item#" } }, for_each: amounts }],
        })
      )[0].status;
    expect(await statuses(2, 1)).toBe("success");
    expect((await world.run(batchOf("pay", { amount: 2 })))[0].status).toBe("success");
    expect(await statuses(1, 3)).toBe("pending_confirmation");
  });

  trial(
    "is refused beside a no, alone, out of bounds, and for any arguments of a tool that deletes: the question waits on",
    async () => {
      const { ask, decide, show } = await openApprovals();
      const question = await ask("wipe");
      for (const body of [
        { decision: "reject", remember_s: 60 },
        { decision: "approve", any_args: true },
        { decision: "approve", remember_s: 0 },
        { decision: "approve", remember_s: 2_592_001 },
        { decision: "approve", remember_s: 60, any_args: true },
      ]) {
        const { status, body: refused } = await decide(question, body);
        expect([status, refused.code]).toEqual([422, "INVALID_REQUEST"]);
      }
      expect((await show(question)).body.status).toBe("pending");
      expect((await decide(question, { decision: "approve", remember_s: 2_592_000 })).status).toBe(200);
    },
  );

  trial("is refused from a link, and the question waits on", async () => {
    const { ask, link, sendForm, show, send } = await openApprovals();
    const question = await ask("pay");
    const path = await link(question);
    for (const field of ["remember_s", "any_args"]) {
      const { status, text } = await sendForm(path, { decision: "approve", [field]: "60" });
      expect([status, text.includes("only a key")]).toEqual([422, true]);
    }
    expect((await show(question)).body.status).toBe("pending");
    expect((await sendForm(path)).status).toBe(200);
    expect((await send("GET", "/v1/remembered")).body.remembered).toEqual([]);
  });

  trial("is listed and forgotten by keys that decide, as far as they may call its tool", async () => {
    const { list, send, statusOf } = await remember();
    const { remembered, next_cursor: next } = await list();
    expect([remembered, next]).toEqual([[expect.objectContaining({ args: PAID, any_args: false })], null]);
    const path = `/v1/remembered/${remembered[0].id}`;
    for (const by of ["asker", "second"]) {
      expect((await send("GET", "/v1/remembered", undefined, by)).status).toBe(403);
      expect((await send("DELETE", path, undefined, by)).status).toBe(403);
    }
    for (const by of ["narrow", "stranger"]) {
      expect((await list(by)).remembered).toEqual([]);
      expect((await send("DELETE", path, undefined, by)).status).toBe(404);
    }
    expect((await send("DELETE", path)).status).toBe(204);
    expect((await send("DELETE", path)).status).toBe(404);
    expect(await statusOf(PAID)).toBe("pending_confirmation");
  });

  trial("is listed in pages, the newest first", async () => {
    const { ask, decide, send, volley } = await openApprovals();
    for (const amount of [1, 2, 3]) {
      await decide(await ask("pay", { amount }), YES);
      await volley.advance(1);
    }
    const seen: number[] = [];
    for (let cursor = ""; ;) {
      const { body } = await send("GET", `/v1/remembered?limit=2${cursor}`);
      seen.push(...body.remembered.map(({ args }: { args: { amount: number } }) => args.amount));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual([3, 2, 1]);
    expect((await send("GET", "/v1/remembered?of=pay")).status).toBe(400);
  });

  trial("ends with the key that gave it, or with that key's right to decide", async () => {
    const { send, ask, decide, run } = await openApprovals();
    const made = (await send("POST", "/v1/keys", { name: "made", tools: ["*"], flags: ["approve"] }, "admin"))
      .body.key;
    await decide(await ask("pay", PAID), YES, made);
    expect((await run(batchOf("pay", PAID)))[0].status).toBe("success");
    expect((await send("DELETE", "/v1/keys/made", undefined, "admin")).status).toBe(204);
    expect((await run(batchOf("pay", PAID)))[0].status).toBe("pending_confirmation");
    expect((await send("GET", "/v1/remembered")).body.remembered).toEqual([]);
  });

  trial("is forgotten when its tool is declared otherwise, and stays forgotten", async () => {
    const { send, ask, decide, run } = await openApprovals({
      routes: { "POST https://api.example.com/ban": { banned: true } },
    });
    const declare = (summary: string) =>
      send(
        "PUT",
        "/v1/tools/ban",
        {
          summary,
          description: "Ban somebody.",
          category: "shop",
          actions: ["ban"],
          is_write: true,
          input_schema: { type: "object", properties: { who: { type: "string" } } },
          http: { method: "POST", url: "https://api.example.com/ban" },
          orchestration: { mode: "sequential-only", confirm: "always" },
        },
        "asker",
      );
    await declare("Ban somebody");
    await decide(await ask("ban", { who: "Eve" }), YES);
    const statusOf = async () => (await run(batchOf("ban", { who: "Eve" })))[0].status;
    expect(await statusOf()).toBe("success");
    await declare("Ban somebody for good");
    expect(await statusOf()).toBe("pending_confirmation");
    await declare("Ban somebody");
    expect(await statusOf()).toBe("pending_confirmation");
  });

  trial("may be a thousand of a tenant: one more is refused, and nothing of it runs", async () => {
    const { run, decide, show, send, ask } = await openApprovals();
    const all = Array.from({ length: 25 }, (_, at) => at);
    for (let times = 0; times < 40; times += 1) {
      const args = { amount: { $ref: "item#" }, to: `${times}` };
      const [{ confirmation }] = await run({ actions: [{ tool: "pay", args, for_each: all }] });
      expect((await decide(confirmation.id, YES)).status).toBe(200);
    }
    const question = await ask("pay", PAID);
    const { status, body } = await decide(question, YES);
    expect([status, body.code, body.detail ?? body.hint]).toEqual([
      422,
      "INVALID_REQUEST",
      expect.stringContaining("1000"),
    ]);
    expect((await show(question)).body.status).toBe("pending");
    const [{ id }] = (await send("GET", "/v1/remembered?limit=1")).body.remembered;
    await send("DELETE", `/v1/remembered/${id}`);
    expect((await decide(question, YES)).status).toBe(200);
  });

  trial(
    "lets a flow through that is called as a tool, until a tool that it calls is declared otherwise",
    async () => {
      const { send, ask, decide, run } = await openApprovals();
      const flow = {
        summary: "Pay somebody",
        input_schema: { type: "object", properties: { to: { type: "string" } } },
        actions: [{ id: "p", tool: "pay", args: { to: { $ref: "input#/to" } } }],
      };
      expect((await send("PUT", "/v1/flows/pay-out", flow, "asker")).status).toBe(201);
      await decide(await ask("pay-out", { to: "Ada" }), YES);
      const statusOf = async (to: string) => (await run(batchOf("pay-out", { to })))[0].status;
      expect([await statusOf("Ada"), await statusOf("Eve")]).toEqual(["success", "pending_confirmation"]);
      // Run by itself the flow asks about its action, and to that there was no yes.
      const alone = await send("POST", "/v1/flows/pay-out/run", { input: { to: "Ada" } }, "asker");
      expect(alone.body.results[0].status).toBe("pending_confirmation");
      await decide(alone.body.results[0].confirmation.id, YES);
      const again = await send("POST", "/v1/flows/pay-out/run", { input: { to: "Ada" } }, "asker");
      expect(again.body.results[0]).toMatchObject({
        status: "success",
        meta: { approved_by: { name: "ann" } },
      });
    },
  );

  trial("lets a background batch and a rerun through", async () => {
    const { send, statusOf, volley, run } = await remember();
    const later = await send(
      "POST",
      "/v1/execute_actions",
      { ...batchOf("pay", PAID), background: true },
      "asker",
    );
    await volley.advance(60_000);
    const results = await send("GET", `/v1/jobs/${later.body.job_id}/results`, undefined, "asker");
    expect(results.body.results[0]).toMatchObject({
      status: "success",
      meta: { approved_by: { name: "ann" } },
    });
    expect(await statusOf({ amount: 1 })).toBe("pending_confirmation");
    expect((await run({ dry_run: true, ...batchOf("pay", PAID) })) ?? []).toEqual([]);
  });

  trial("is exported for a key that decides, is named by a restore, and goes with its tenant", async () => {
    const { send, list } = await remember();
    const { remembered } = await list();
    expect((await send("GET", "/v1/export", undefined, "admin")).body.remembered).toEqual(remembered);
    expect((await send("GET", "/v1/export", undefined, "asker")).body).not.toHaveProperty("remembered");
    expect((await send("POST", "/v1/tenant/delete", { tenant: "acme" }, "admin")).status).toBe(200);
    expect((await list()).remembered).toEqual([]);
  });
});
