import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { github, hmac, type Sender, standard } from "../features/flows/hooks/sample-senders.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { eventually } from "../support/eventually.ts";
import { sendHook } from "../support/hook-sender.ts";
import type { RunningWorker } from "../support/miniflare.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { type RawAnswer, TestCaller } from "../support/test-caller.ts";

/* Secrets of webhooks that are missing, wrong or shared: said to who keeps the flow and to the operator, never to a sender. */

const OLD = `whsec_${Buffer.alloc(32, "old").toString("base64")}`;
const NEW = `whsec_${Buffer.alloc(32, "new").toString("base64")}`;
const FOREIGN = "a-secret-of-another-tenant";
const quota = { limit: 100_000, window_s: 60 };
const own = { tenants: ["acme"], hosts: [] };

const storageDir = await mkdtemp(join(tmpdir(), "volley-hook-secrets-"));
afterAll(() => rm(storageDir, { recursive: true, force: true }));

/** A deployment with these secrets of webhooks, on the same storage as the ones before it. */
async function start(
  secrets: Readonly<Record<string, string>>,
  bindings: Readonly<Record<string, object>>,
): Promise<RunningWorker> {
  const VOLLEY_KEYS = await configureKeys({
    admin: { name: "admin", tenant: "acme", flags: ["manage_tools"], quota },
    narrow: { name: "narrow", tenant: "acme", tools: ["mine"], flags: ["manage_tools"], quota },
  });
  return startRawSandbox({
    storageDir,
    vars: { VOLLEY_KEYS, VOLLEY_TOOL_SECRETS: JSON.stringify(bindings), ...secrets },
  });
}

async function put(
  volley: RunningWorker,
  name: string,
  { sender = github, secret = "HOOK" }: { sender?: Sender; secret?: string } = {},
  by = "admin",
): Promise<RawAnswer> {
  const flow = {
    summary: `The flow ${name}`,
    input_schema: { type: "object" },
    actions: [{ id: "found", tool: "discover_tools", args: { query: "x" } }],
    triggers: { webhook: { ...sender.trigger, secret } },
  };
  return new TestCaller(volley.url, by).send({
    method: "PUT",
    path: `/v1/flows/${name}`,
    body: JSON.stringify(flow),
  });
}

const issuesOf = ({ text }: RawAnswer): unknown => (JSON.parse(text) as { issues?: unknown }).issues;
const show = (volley: RunningWorker, name: string) =>
  new TestCaller(volley.url, "admin").get(`/v1/flows/${name}`);
const deliver = (volley: RunningWorker, name: string, sender: Sender, secret: string, id?: string) =>
  sendHook(volley.url, name, sender, { tenant: "acme", secret, ...(id !== undefined && { id }) });

/** The lines of the operator's log about refused deliveries of a flow. */
const refusalsOf = (volley: RunningWorker, flow: string): Record<string, unknown>[] =>
  volley
    .output()
    .split("\n")
    .filter((line) => line.includes('"hook_refused"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line["flow"] === flow);

describe("a secret that is", () => {
  test.each([
    ["bound to another tenant", "FOREIGN", github, "a secret that is bound to the tenant"],
    ["no Standard Webhooks secret", "PLAIN", standard, "the name of a Standard Webhooks secret"],
  ])("%s is an issue, and the flow is not kept", async (_, secret, sender, expected) => {
    await using volley = await start(
      { FOREIGN, PLAIN: "not whsec" },
      { FOREIGN: { tenants: ["other"], hosts: [] }, PLAIN: own },
    );
    const answer = await put(volley, "refused", { secret, sender });
    expect([answer.status, issuesOf(answer)]).toEqual([
      422,
      [expect.objectContaining({ path: "/triggers/webhook/secret", expected })],
    ]);
    expect(answer.text).not.toContain(FOREIGN);
    expect((await show(volley, "refused")).status).toBe(404);
  });
});

test("a secret that is bound and not set yet is a warning, and every delivery is refused until it is", async () => {
  {
    await using volley = await start({}, { HOOK: own });
    const kept = await put(volley, "early");
    expect([kept.status, issuesOf(kept)]).toEqual([
      201,
      [
        expect.objectContaining({
          severity: "warning",
          path: "/triggers/webhook/secret",
          expected: "a secret that is set",
        }),
      ],
    ]);
    expect((await deliver(volley, "early", github, OLD)).status).toBe(401);
  }
  await using volley = await start({ HOOK: OLD }, { HOOK: own });
  expect((await deliver(volley, "early", github, OLD)).status).toBe(202);
});

test("a secret that goes wrong later is said to who looks and to the operator, and to no sender", async () => {
  {
    await using volley = await start({ HOOK: OLD }, { HOOK: own });
    for (const [name, sender] of Object.entries({ lost: github, moved: hmac, spoiled: standard }))
      expect((await put(volley, name, { sender })).status).toBe(201);
    expect((await deliver(volley, "lost", github, OLD)).status).toBe(202);
  }
  const said = (answer: RawAnswer) => {
    const { request_id: _, ...rest } = JSON.parse(answer.text) as Record<string, unknown>;
    return { status: answer.status, ...rest };
  };
  const cases = [
    ["lost", github, {}, { HOOK: own }, "is not set"],
    ["moved", hmac, { HOOK: OLD }, { HOOK: { tenants: ["other"], hosts: [] } }, "is not bound to the tenant"],
    ["spoiled", standard, { HOOK: "secret" }, { HOOK: own }, "is not a Standard Webhooks secret"],
  ] as const;
  for (const [name, sender, secrets, bindings, is] of cases) {
    await using volley = await start(secrets, bindings);
    const severity = is === "is not set" ? "warning" : "error";
    const refused = await deliver(volley, name, sender, OLD, "later");
    expect(said(refused)).toEqual(said(await deliver(volley, "nothing", sender, OLD, "later")));
    const [line] = await eventually("the operator's line", () => {
      const lines = refusalsOf(volley, name);
      return lines.length > 0 ? lines : undefined;
    });
    expect(line).toMatchObject({ tenant: "acme", flow: name, reason: `its secret HOOK ${is}` });
    expect(issuesOf(await show(volley, name))).toContainEqual(
      expect.objectContaining({ severity, path: "/triggers/webhook/secret" }),
    );
  }
});

test("two secrets in one text open a flow while one replaces another, and a third does not", async () => {
  await using volley = await start({ HOOK: `${NEW} ${OLD}` }, { HOOK: own });
  expect([200, 201]).toContain((await put(volley, "rotating", { sender: github })).status);
  expect((await deliver(volley, "rotating", github, OLD, "by-old")).status).toBe(202);
  expect((await deliver(volley, "rotating", github, NEW, "by-new")).status).toBe(202);
  expect((await deliver(volley, "rotating", github, FOREIGN, "by-none")).status).toBe(401);
});

test("T55 a secret that opens another flow too is said with the flow, without names that the key may not know", async () => {
  await using volley = await start(
    { HOOK: OLD, SHARED: NEW, SINGLE: FOREIGN },
    { HOOK: own, SHARED: own, SINGLE: own },
  );
  expect(issuesOf(await put(volley, "alone", { secret: "SINGLE" }))).toBeUndefined();
  expect(issuesOf(await put(volley, "first", { secret: "SHARED" }))).toBeUndefined();
  const warning = (received: string) => [
    expect.objectContaining({ severity: "warning", path: "/triggers/webhook/secret", received }),
  ];
  expect(issuesOf(await put(volley, "second", { secret: "SHARED" }))).toEqual(
    warning("the secret of the flow 'first' too"),
  );
  expect(issuesOf(await show(volley, "first"))).toEqual(warning("the secret of the flow 'second' too"));
  expect(issuesOf(await put(volley, "mine", { secret: "SHARED" }, "narrow"))).toEqual(
    warning("the secret of 2 other flows too"),
  );
  const again = await new TestCaller(volley.url, "admin").send({
    method: "PUT",
    path: "/v1/flows/first",
    body: (await show(volley, "first")).text,
  });
  expect(again.status, "what is shown can be put").toBe(200);
});
