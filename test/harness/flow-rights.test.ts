import { expect, test } from "vitest";

import { github } from "../features/flows/hooks/sample-senders.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { eventually } from "../support/eventually.ts";
import { HOOK_SECRET, sendHook, triggerOf } from "../support/hook-sender.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";

/* A flow sees the tools that the key which kept it may call, by whichever door it runs. */

const quota = { limit: 100_000, window_s: 60 };
const flags = ["manage_tools"];
const { volley } = await setUpSandbox({
  VOLLEY_KEYS: await configureKeys({
    admin: { name: "admin", tenant: "acme", quota, flags },
    keeper: { name: "keeper", tenant: "acme", tools: ["flows", "probe-search"], quota, flags },
    unable: { name: "unable", tenant: "acme", tools: ["probe-search", "mine"], quota, flags },
    small: { name: "small", tenant: "acme", tools: ["flows", "probe-item"], quota },
  }),
  VOLLEY_TOOL_SECRETS: JSON.stringify({ [HOOK_SECRET]: { tenants: ["acme"], hosts: [] } }),
});
const as = (key: string) => new TestCaller(volley.url, key);
const [admin, keeper] = [as("admin"), as("keeper")];

const LOOK = {
  summary: "Look for tools that know an item",
  input_schema: { type: "object" },
  actions: [{ id: "found", tool: "discover_tools", args: { categories: ["probe"], limit: 25 } }],
  answer: { $ref: "found#/tools" },
};

async function put(name: string, by: TestCaller, flow: object = LOOK): Promise<Record<string, unknown>> {
  const kept = await by.send({ method: "PUT", path: `/v1/flows/${name}`, body: JSON.stringify(flow) });
  expect([200, 201], kept.text).toContain(kept.status);
  return JSON.parse(kept.text) as Record<string, unknown>;
}

const namesIn = (tools: unknown): string[] =>
  (tools as readonly { readonly name: string }[]).map(({ name }) => name);

async function run(name: string, by: TestCaller): Promise<string[]> {
  const { text } = await by.send({ path: `/v1/flows/${name}/run`, body: "{}" });
  return namesIn((JSON.parse(text) as { answer: unknown }).answer);
}

async function call(name: string, by: TestCaller): Promise<string[]> {
  const { results } = await by.execute([{ tool: name }]);
  return namesIn(results[0]!.data);
}

/** The tools that a run by webhook found, as its job says. */
async function deliver(name: string): Promise<string[]> {
  const taken = await sendHook(volley.url, name, github, { tenant: "acme" });
  expect(taken.status).toBe(202);
  const { job_id } = JSON.parse(taken.text) as { job_id: string };
  return eventually("the run to end", async () => {
    const { text } = await admin.get(`/v1/jobs/${job_id}`);
    const { status, data } = JSON.parse(text) as { status: string; data: unknown };
    return status === "succeeded" ? namesIn(data) : undefined;
  });
}

const WITH_HOOK = { ...LOOK, triggers: { webhook: triggerOf(github) } };

test("T47 a run finds no tool that the key which kept the flow may not call, by whichever door", async () => {
  await put("look_around", keeper, WITH_HOOK);
  expect(await run("look_around", keeper)).toEqual(["probe-search"]);
  expect(await run("look_around", admin)).toEqual(["probe-search"]);
  expect(await call("look_around", admin)).toEqual(["probe-search"]);
  expect(await deliver("look_around")).toEqual(["probe-search"]);
});

test("T47 a run by a key that may call less sees less", async () => {
  await put("look_widely", admin);
  expect((await run("look_widely", admin)).length).toBeGreaterThan(2);
  expect(await run("look_widely", as("small"))).toEqual(["probe-item"]);
  expect(await call("look_widely", as("small"))).toEqual(["probe-item"]);
});

test("T47 who keeps a flow again keeps it with rights of its own", async () => {
  const first = await put("handed_over", admin, WITH_HOOK);
  expect((await deliver("handed_over")).length).toBeGreaterThan(2);
  const second = await put("handed_over", keeper, WITH_HOOK);
  expect(second["fingerprint"]).not.toBe(first["fingerprint"]);
  expect(await run("handed_over", admin)).toEqual(["probe-search"]);
});

test("the rights of a flow are nowhere shown", async () => {
  await put("silent", keeper);
  const shown = JSON.parse((await admin.get("/v1/flows/silent")).text) as object;
  expect(shown).not.toHaveProperty("tools");
});

/** A tool of a category of its own. */
const toolOf = (category: string) => ({
  summary: "Read a page",
  description: "Read a page.",
  category,
  actions: ["read"],
  is_write: false,
  input_schema: { type: "object" },
  http: { method: "GET", url: "https://api.example.com/page" },
});

test.each([
  ["flows", "a_flow", LOOK],
  ["tools", "a_tool", toolOf("pages")],
])(
  "a key that could not call it keeps none of its %s: 403, and nothing is there",
  async (kind, name, body) => {
    const path = `/v1/${kind}/${name}`;
    const refused = await as("unable").send({ method: "PUT", path, body: JSON.stringify(body) });
    expect(problemOf(refused)).toMatchObject({ status: 403, code: "FORBIDDEN" });
    expect(problemOf(refused).detail).toContain(`could not call '${name}'`);
    expect((await admin.get(path)).status).toBe(404);
    const taken = await admin.send({ method: "PUT", path, body: JSON.stringify(body) });
    expect(taken.status).toBe(201);
    const hidden = await as("unable").send({ method: "PUT", path, body: JSON.stringify(body) });
    expect(problemOf(hidden)).toMatchObject({ status: 409, code: "NAME_TAKEN" });
  },
);

test("a key keeps what it may call by its name, and does not move it out of its reach", async () => {
  const put = (body: object) =>
    keeper.send({ method: "PUT", path: "/v1/tools/probing", body: JSON.stringify(body) });
  expect((await put(toolOf("flows"))).status).toBe(201);
  expect((await put(toolOf("elsewhere"))).status).toBe(403);
  expect(JSON.parse((await keeper.get("/v1/tools/probing")).text)).toMatchObject({ category: "flows" });
  const mine = await as("unable").send({ method: "PUT", path: "/v1/flows/mine", body: JSON.stringify(LOOK) });
  expect(mine.status).toBe(201);
});
