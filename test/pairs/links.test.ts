import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";

import { openApprovals } from "../features/confirmations/http/approval-world.ts";
import { trial } from "../support/trial.ts";

const HOOK_SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const flowOf = (amount: number) => ({
  summary: "Pay",
  input_schema: { type: "object", properties: {} },
  actions: [{ id: "p", tool: "pay", args: { amount } }],
});
const ADDED = {
  summary: "Drop it",
  description: "Drop it.",
  category: "shop",
  actions: ["delete"],
  is_write: true,
  input_schema: { type: "object", properties: {} },
  http: { method: "DELETE", url: "https://shop.example.com/one" },
};

/** Open a world with a service that counts what it is sent. */
async function open() {
  const sent: string[] = [];
  const world = await openApprovals({
    env: {
      VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["acme"], hosts: ["shop.example.com"] } }),
      HOOK: HOOK_SECRET,
    },
    routes: {
      "DELETE https://shop.example.com/*": ({ url }) => {
        sent.push(new URL(url).pathname);
        return {};
      },
    },
  });
  const put = async (path: string, body: object) =>
    expect((await world.send("PUT", path, body, "asker")).status).toBeLessThan(300);
  return { ...world, sent, put };
}

trial("A link's yes to a tool that was replaced since runs nothing, and its page says so", async () => {
  const { ask, link, sendForm, put, sent } = await open();
  await put("/v1/tools/drop_one", ADDED);
  const path = await link(await ask("drop_one"));
  await put("/v1/tools/drop_one", {
    ...ADDED,
    http: { ...ADDED.http, url: "https://shop.example.com/all" },
  });
  const { status } = await sendForm(path);
  expect(status).toBe(409);
  expect(sent).toEqual([]);
});

trial("A link's yes to a flow that was kept otherwise since runs nothing", async () => {
  const { ask, link, sendForm, put, show } = await open();
  await put("/v1/flows/pays", flowOf(1));
  const question = await ask("pays");
  const path = await link(question);
  await put("/v1/flows/pays", flowOf(100));
  expect((await sendForm(path)).status).toBe(409);
  expect((await show(question)).body).not.toHaveProperty("results");
});

type World = Awaited<ReturnType<typeof open>>;

test.each<[string, string, object, (world: World) => Promise<unknown>]>([
  [
    "a delivery",
    "webhook",
    { webhook: { verify: "standard-webhooks", secret: "HOOK" } },
    async ({ volley }) => {
      const at = new Date(volley.now());
      const headers = {
        authorization: "",
        "content-type": "application/json",
        "webhook-id": "one",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
        "webhook-signature": new Webhook(HOOK_SECRET).sign("one", at, "{}"),
      };
      const answer = await volley.fetch("/hooks/acme/pays", { method: "POST", headers, body: "{}" });
      expect(answer.status).toBe(202);
      await volley.advance(5_000);
    },
  ],
  ["a clock", "cron", { cron: "0 * * * *" }, ({ volley }) => volley.advance(3_601_000)],
])(
  "A yes by a link runs what %s asked, and the question says what began it",
  async (_, trigger, triggers, begin) => {
    const world = await open();
    const { send, link, sendForm, put, show } = world;
    await put("/v1/flows/pays", { ...flowOf(5), triggers });
    await begin(world);
    const [{ id }] = (await send("GET", "/v1/confirmations")).body.confirmations;
    expect((await sendForm(await link(id))).status).toBe(200);
    expect((await show(id)).body).toMatchObject({
      requested_by: { flow: "pays", trigger },
      decided_by: { via: "link" },
      results: [{ status: "success", data: { paid: { amount: 5 } } }],
    });
  },
);

trial(
  "A batch in the background shows no link of its question, and a yes by one runs what it asked",
  async () => {
    const { send, link, sendForm, show, volley } = await open();
    const batch = { background: true, actions: [{ id: "p", tool: "pay", args: { amount: 5 } }] };
    const { job_id: job } = (await send("POST", "/v1/execute_actions", batch, "asker")).body;
    await volley.advance(10_000);
    const [{ id }] = (await send("GET", "/v1/confirmations")).body.confirmations;
    const path = await link(id);
    for (const shown of [`/v1/jobs/${job}`, `/v1/jobs/${job}/results`, `/v1/confirmations/${id}`])
      expect((await send("GET", shown)).text).not.toContain("/approvals/");
    expect((await sendForm(path)).status).toBe(200);
    expect((await show(id)).body.results).toMatchObject([
      { status: "success", data: { paid: { amount: 5 } } },
    ]);
  },
);

trial("A question of a tenant that was deleted is gone for keys, and its link opens nothing", async () => {
  const { send, ask, link, sendForm, show, decide } = await open();
  const question = await ask("pay", { amount: 5 });
  const path = await link(question);
  expect((await send("POST", "/v1/tenant/delete", { tenant: "acme" }, "admin")).status).toBe(200);
  expect((await show(question)).status).toBe(404);
  expect((await decide(question, { decision: "approve" })).status).toBe(404);
  expect((await send("GET", path, undefined, null)).status).toBe(404);
  expect((await sendForm(path)).status).toBe(404);
});
