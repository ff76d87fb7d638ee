import { expect, test } from "vitest";

import { openPairs } from "./pair-world.ts";
import { trial } from "../support/trial.ts";

const PAY = [{ id: "pay", tool: "pay", args: { to: "ada" } }];
const MAIL = [{ id: "mail", tool: "mailbox" }];
const parks = { subject: "ada", on_connection: "park" };

test("A kept answer is given again though the yes that let it through is forgotten, and nothing is sent", async () => {
  const { run, send, approve, sent } = await openPairs();
  await approve((await run(PAY)).results[0].confirmation.id as string, { remember_s: 60 });
  const first = await run(PAY, {}, "k");
  expect(first.results[0].status).toBe("success");
  const [{ id }] = (await send("GET", "/v1/remembered")).body.remembered;
  expect((await send("DELETE", `/v1/remembered/${id}`)).status).toBe(204);
  expect(await run(PAY, {}, "k")).toEqual(first);
  expect(sent).toEqual(["/pay/ada", "/pay/ada"]);
  expect((await run(PAY, {}, "other")).results[0].status).toBe("pending_confirmation");
});

trial("One key of two subjects is two: neither is answered with what the other's account gave", async () => {
  const { run, connect } = await openPairs();
  await connect("ada", "ada@acme.dev");
  await connect("grace", "grace@acme.dev");
  const keyed = [{ ...MAIL[0], idempotency_key: "of the action" }];
  for (const [actions, key] of [
    [MAIL, "k"],
    [keyed, undefined],
  ] as const)
    for (const subject of ["ada", "grace", "ada"])
      expect((await run(actions, { subject }, key)).results[0].data).toEqual({
        mailbox: `${subject}@acme.dev`,
      });
});

trial("A batch that missed its account runs under the same key once that is connected", async () => {
  const { run, connect } = await openPairs();
  const missed = await run(MAIL, { subject: "ada" }, "k");
  expect(missed.results[0].error.code).toBe("CONNECTION_REQUIRED");
  await connect("ada", "ada@acme.dev");
  expect((await run(MAIL, { subject: "ada" }, "k")).results[0].data).toEqual({ mailbox: "ada@acme.dev" });
});

trial("A batch that waits for an account has one question under its key, which runs once", async () => {
  const { run, connect, send, volley } = await openPairs();
  const [first, again] = [await run(MAIL, parks, "k"), await run(MAIL, parks, "k")];
  const { id } = first.results[0].confirmation;
  expect(again.results[0].confirmation.id).toBe(id);
  expect((await send("GET", "/v1/confirmations")).body.confirmations).toHaveLength(1);
  await connect("ada", "ada@acme.dev");
  await volley.advance(1_000);
  const read = volley.requests.filter(({ url }) => url.endsWith("/mailbox"));
  expect(read).toHaveLength(1);
  await run(MAIL, parks, "k");
  expect(volley.requests.filter(({ url }) => url.endsWith("/mailbox"))).toHaveLength(1);
});

trial("An answer that is given again leaves no second run, and the operator counts one", async () => {
  const { run, send, volley } = await openPairs();
  const put = [{ id: "put", tool: "put", args: { to: "ada" } }];
  const first = await run(put, {}, "k");
  expect(await run(put, {}, "k")).toEqual(first);
  await volley.advance(5_000);
  expect((await send("GET", "/v1/runs")).body.runs.map((one: { run_id: string }) => one.run_id)).toEqual([
    first.batch_id,
  ]);
  const by = { authorization: "Bearer operator" };
  const { tenants } = (await send("GET", "/v1/operator/overview", undefined, by)).body;
  expect(tenants.find(({ tenant }: { tenant: string }) => tenant === "test")).toMatchObject({
    runs: 1,
    actions: 1,
  });
});
