import { expect, test } from "vitest";

import { openTriggers } from "./trigger-world.ts";
import { trial } from "../support/trial.ts";

const ACTIONS = [
  { id: "kept", tool: "store_it", args: { of: "stored-result" } },
  { id: "mail", tool: "mailbox" },
];
const WAITING = { subject: "ada", on_connection: "park", actions: ACTIONS };

/** Open a Volley in which a batch waits for an account. */
async function open(options: Parameters<typeof openTriggers>[0] = {}, key?: { readonly name: string }) {
  const world = await openTriggers(options);
  const { send, as, volley, get } = world;
  const made = key && (await send("POST", "/v1/keys", { tools: ["*"], ...key })).body.key;
  const { body } = await send("POST", "/v1/execute_actions", WAITING, as(made ?? "test-key"));
  const { id } = body.results[1].confirmation;
  await volley.advance(5_000);
  const question = () => get(`/v1/confirmations/${id}`);
  const read = () => volley.requests.filter(({ url }) => url.endsWith("/mailbox"));
  const connect = async () => {
    await world.connect("ada", "ada@acme.dev");
    await volley.advance(60_000);
  };
  return {
    ...world,
    run: body.batch_id as string,
    link: body.results[1].connect_url as string,
    question,
    read,
    connect,
  };
}

test("what a made key asked runs for its subject still when that key was revoked, as a recorded job does, and says whose it was", async () => {
  const { send, question, read, connect, volley } = await open({}, { name: "made" });
  await send("DELETE", "/v1/keys/made");
  await volley.advance(60_000);
  expect(await question()).toMatchObject({ status: "pending", requested_by: { key: "made" } });
  await connect();
  expect(await question()).toMatchObject({ status: "done", decided_by: { name: "ada", via: "link" } });
  expect(read()).toHaveLength(1);
});

trial(
  "a rerun of what waits for an account waits with it: one question, one call, and the answer of that",
  async () => {
    const { run, send, get, read, connect, stored } = await open();
    const again = (await send("POST", `/v1/runs/${run}/rerun`, {})).body;
    expect(again.results).toMatchObject([{ status: "success" }, { status: "pending_confirmation" }]);
    expect((await get("/v1/confirmations?status=waiting")).confirmations).toHaveLength(1);
    await connect();
    expect(read()).toHaveLength(1);
    const { results } = (await send("POST", `/v1/runs/${run}/rerun`, { only: "failed" })).body;
    expect(results[1]).toMatchObject({ status: "success", data: { mailbox: "ada@acme.dev" } });
    expect([read().length, stored]).toEqual([1, ["stored-result"]]);
  },
);

trial(
  "T50 an endpoint that is told of what waits for an account is not told the link of its subject",
  async () => {
    const told: string[] = [];
    const hooks = {
      "POST https://shop.example.com/*": ({ body = "" }: { readonly body?: string | undefined }) => ({
        n: told.push(body),
      }),
    };
    const { send, volley, connect } = await open({ routes: hooks });
    await send("PUT", "/v1/endpoints/watch", { url: "https://shop.example.com/hooks", events: ["volley.*"] });
    const { body } = await send("POST", "/v1/execute_actions", WAITING);
    await volley.advance(10_000);
    await connect();
    expect(told.join()).toContain(body.results[1].confirmation.id);
    expect(told.join()).not.toContain(new URL(body.results[1].connect_url as string).pathname);
  },
);

trial(
  "counts as a question that waits in the overview of who operates until the account is connected",
  async () => {
    const { get, connect } = await open();
    const waiting = async () => (await get("/v1/operator/overview", "root")).tenants[0].waiting;
    expect(await waiting()).toBe(1);
    await connect();
    expect(await waiting()).toBe(0);
  },
);

trial(
  "an export has nothing of what waits for an account but its run: no link, and no stored result comes back to run",
  async () => {
    const { get, link, send, volley, read, connect } = await open();
    const exported = JSON.stringify(await get("/v1/export"));
    expect(exported).not.toContain(new URL(link).pathname);
    await send("POST", "/v1/tenant/delete", { tenant: "acme" });
    await volley.advance(1_000);
    const { runs } = JSON.parse(exported) as { runs: object[] };
    expect((await send("PUT", "/v1/runs", { runs })).status).toBe(200);
    await connect();
    expect([(await get("/v1/confirmations")).confirmations, read()]).toEqual([[], []]);
  },
);

trial("what waits for an account runs nothing any more once its tenant was deleted", async () => {
  const { send, goOn, link, read, connect } = await open();
  await send("POST", "/v1/tenant/delete", { tenant: "acme" });
  expect((await goOn(link)).status).toBeGreaterThanOrEqual(400);
  await connect();
  expect(read()).toEqual([]);
});
