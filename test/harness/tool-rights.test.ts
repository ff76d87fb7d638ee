import { describe, expect, test } from "vitest";

import { configureKeys } from "../support/configured-keys.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, TestCaller } from "../support/test-caller.ts";

/* A key that manages tools cannot change those of its tenant that it may not call; it only learns that a name is taken. */

const quota = { limit: 100_000, window_s: 60 };
const flags = ["manage_tools"];
const { upstream, volley } = await setUpSandbox({
  VOLLEY_KEYS: await configureKeys({
    owner: { name: "owner", tenant: "acme", quota, flags },
    crm: { name: "crm", tenant: "acme", tools: ["crm"], quota, flags },
  }),
});
const [owner, crm] = [new TestCaller(volley.url, "owner"), new TestCaller(volley.url, "crm")];

const send = (by: TestCaller, method: string, path: string, body?: unknown): Promise<RawAnswer> =>
  by.send({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }) });
const declare = (category: string, changes: object = {}) => ({
  summary: "Say a number back",
  description: "The number that was sent. Size: about 10 tokens.",
  category,
  actions: ["read"],
  is_write: false,
  input_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  http: { method: "GET", url: `${upstream.url}/echo` },
  ...changes,
});
const put = (by: TestCaller, name: string, category: string, changes: object = {}) =>
  send(by, "PUT", `/v1/tools/${name}`, declare(category, changes));
const show = (by: TestCaller, name: string) => send(by, "GET", `/v1/tools/${name}`);
/** An import of operations, each of which becomes a tool of that category. */
const importAs = (
  by: TestCaller,
  operations: readonly string[],
  { category = "payroll", ...fields }: { readonly category?: string; readonly dry_run?: boolean } = {},
) =>
  send(by, "POST", "/v1/tools/import", {
    prefix: "pay",
    openapi: {
      openapi: "3.1.0",
      info: { title: "Pay", version: "1" },
      servers: [{ url: upstream.url }],
      paths: Object.fromEntries(
        operations.map((operationId) => [
          `/${operationId}`,
          { get: { operationId, tags: [category], summary: `Get ${operationId}`, responses: {} } },
        ]),
      ),
    },
    ...fields,
  });
const codeOf = (answer: RawAnswer) => [answer.status, problemOf(answer).code];
/** An answer without what names its request and the tool that it asked for. */
const plain = (answer: RawAnswer, name: string) => {
  const { request_id: _, ...rest } = problemOf(answer);
  return JSON.parse(JSON.stringify(rest).replaceAll(name, "NAME")) as object;
};
const ofTools = async (by: TestCaller) => {
  const { tools } = JSON.parse((await by.get("/v1/export")).text) as { tools: { name: string }[] };
  return tools.map(({ name }) => name).sort();
};

describe("A tool that a key may not call", () => {
  test("T02 is shown and deleted like one that there is not, and its name is taken", async () => {
    expect((await put(owner, "salaries", "payroll")).status).toBe(201);
    const before = (await show(owner, "salaries")).text;
    for (const method of ["GET", "DELETE"]) {
      const hidden = await send(crm, method, "/v1/tools/salaries");
      expect(hidden.status).toBe(404);
      const unknown = await send(crm, method, "/v1/tools/nothing_at_all");
      expect(plain(hidden, "salaries")).toEqual(plain(unknown, "nothing_at_all"));
    }
    expect(codeOf(await put(crm, "salaries", "crm"))).toEqual([409, "NAME_TAKEN"]);
    expect((await show(owner, "salaries")).text).toBe(before);
  });

  test("T02 is nothing that another tool can depend on", async () => {
    await put(owner, "payroll_search", "payroll");
    const contract = {
      orchestration: { mode: "dependent", depends_on: [{ tool: "NAME", required_fields: ["n"] }] },
    };
    const on = (tool: string) =>
      JSON.parse(JSON.stringify(contract).replace("NAME", tool)) as typeof contract;
    const hidden = await put(crm, "contact", "crm", on("payroll_search"));
    expect(codeOf(hidden)).toEqual([422, "INVALID_TOOL"]);
    const unknown = await put(crm, "contact", "crm", on("nothing_at_all"));
    expect(plain(hidden, "payroll_search")).toEqual(plain(unknown, "nothing_at_all"));
  });

  test("T02 is not replaced by an import, nor removed by one of its prefix, also where that only says what it would do", async () => {
    expect((await importAs(owner, ["slips", "runs"])).status).toBe(200);
    const before = (await show(owner, "pay_slips")).text;
    for (const fields of [{ dry_run: true }, {}])
      expect(codeOf(await importAs(crm, ["slips"], fields))).toEqual([409, "NAME_TAKEN"]);
    expect((await show(owner, "pay_slips")).text).toBe(before);

    for (const fields of [{ dry_run: true }, {}]) {
      const beyond = await importAs(crm, ["bonus"], fields);
      expect(codeOf(beyond), "it could not call what it imports").toEqual([403, "FORBIDDEN"]);
    }
    const other = await importAs(crm, ["bonus"], { category: "crm" });
    expect(other.status, other.text).toBe(200);
    expect(JSON.parse(other.text)).toMatchObject({ tools: [{ name: "pay_bonus" }], removed: [] });
    expect((await show(owner, "pay_slips")).text).toBe(before);
  });

  test("T02 is in no export of that key", async () => {
    await put(owner, "customers", "crm");
    expect(await ofTools(crm)).toEqual(["customers", "pay_bonus"]);
    expect(await ofTools(owner)).toContain("salaries");
  });

  test("is left out of no export, import or path of a key that may call it", async () => {
    expect((await put(crm, "own", "crm")).status).toBe(201);
    expect((await put(crm, "own", "crm", { summary: "Again" })).status).toBe(200);
    expect((await show(crm, "own")).status).toBe(200);
    expect((await send(crm, "DELETE", "/v1/tools/own")).status).toBe(204);
  });
});
