import { expect, test } from "vitest";

import { queryRows, tryRows } from "../../../src/tools/kit/query-rows.ts";
import { startDataBindings } from "../../support/data-bindings.ts";
import { FakeToolContext } from "../../support/fake-tool-context.ts";
import { trial } from "../../support/trial.ts";

function contextOf(bindings: Readonly<Record<string, unknown>>, tenant = "sandbox"): FakeToolContext {
  const tool = { hosts: [], secrets: [], bindings: ["DATA"] };
  const answer = (): never => expect.fail("no request is sent");
  return new FakeToolContext(tool, { answer, bindings, caller: { tenant, key: "k" } });
}

/** A database that fails with a message as D1 has them. */
function failing(message: string): FakeToolContext {
  const statement = { bind: () => statement, all: () => Promise.reject(new Error(message)) };
  return contextOf({ DATA: { prepare: () => statement } });
}

trial("queryRows() binds the tenant first", async () => {
  const data = await startDataBindings();
  const rows = await queryRows(contextOf(data.bindings), "SELECT ?1 AS tenant, ?2 AS a, ?3 AS b", "x", null);
  expect(rows).toEqual([{ tenant: "sandbox", a: "x", b: null }]);
});

trial("queryRows() says that the migrations are missing where a table is", async () => {
  const data = await startDataBindings({ unmigrated: true });
  const asked = queryRows(contextOf(data.bindings), "SELECT name FROM contacts WHERE tenant = ?1");
  await expect(asked).rejects.toMatchObject({
    failure: { code: "MISCONFIGURED", retryable: false, hint: expect.stringContaining("migrations") },
  });
});

trial(
  "tryRows() gives a constraint that a statement offends as a value, and stores nothing of it",
  async () => {
    const data = await startDataBindings();
    const insert = `INSERT INTO contacts (tenant, email, name)
    VALUES (?1, 'new@example.com', 'New'), (?1, 'ADA@example.com', 'Again')`;
    expect(await tryRows(contextOf(data.bindings), insert)).toEqual({ ok: false, error: "constraint" });
    const { results } = await data.database.prepare("SELECT 1 FROM contacts WHERE name = 'New'").all();
    expect(results).toEqual([]);
  },
);

test.each([
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
])("queryRows() calls '%s' worth trying again, in its own words", async (message) => {
  await expect(queryRows(failing(message), "SELECT 1")).rejects.toMatchObject({
    failure: { code: "UPSTREAM_ERROR", retryable: true, hint: expect.not.stringContaining("D1") },
  });
});

trial("queryRows() throws a statement that is wrong, because that is a bug", async () => {
  const data = await startDataBindings();
  await expect(queryRows(contextOf(data.bindings), "SELECT FROM")).rejects.toThrow("D1_ERROR");
});

test("queryRows() says which binding is missing", async () => {
  await expect(queryRows(contextOf({}), "SELECT 1")).rejects.toMatchObject({
    failure: { code: "MISCONFIGURED" },
  });
});
