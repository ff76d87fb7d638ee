import * as z from "zod/mini";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { createContacts } from "../../../src/tools/data/create-contacts.ts";
import { deleteContacts } from "../../../src/tools/data/delete-contacts.ts";
import { type DataBindings, startDataBindings } from "../../support/data-bindings.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

let data: DataBindings;
beforeAll(async () => void (data = await startDataBindings()));
beforeEach(() => data.database.prepare("DELETE FROM contacts WHERE tenant = 'acme'").all());

const ADA = { email: "ada@example.com", name: "Ada" };
const BOB = { email: "bob@example.com", name: "Bob", company: "Bob & Sons" };
const EVE = { email: "eve@example.com", name: "Eve" };

let calls = 0;
function create(
  contacts: readonly object[],
  { key = `call-${(calls += 1)}`, tenant = "acme", bindings = data.bindings } = {},
) {
  return runTool(createContacts, { contacts }, { bindings, tenant, idempotencyKey: key }).output;
}

async function stored(tenant = "acme"): Promise<unknown[]> {
  const sql = "SELECT email, name, company FROM contacts WHERE tenant = ? ORDER BY email";
  return [...(await data.database.prepare(sql).bind(tenant).all()).results];
}

test("create_contacts gives each row an id, in the order sent, in about 25 tokens", async () => {
  const output = (await create([EVE, BOB, ADA])) as { created: { contact_id: string; email: string }[] };
  expect(output.created.map(({ email }) => email)).toEqual([EVE.email, BOB.email, ADA.email]);
  expect(new Set(output.created.map(({ contact_id }) => contact_id)).size).toBe(3);
  expect(countTokens(output) / 3).toBeLessThan(25);
  expect(await stored()).toEqual([{ ...ADA, company: null }, BOB, { ...EVE, company: null }]);
});

trial("create_contacts stores a hundred rows", async () => {
  const rows = Array.from({ length: 100 }, (_, n) => ({ email: `n${n}@example.com`, name: `N ${n}` }));
  expect(await create(rows)).toMatchObject({ created: { length: 100 } });
  expect(await stored()).toHaveLength(100);
});

describe("create_contacts stores none when one row cannot be", () => {
  trial(
    "because its address is taken, in whatever case; it names the row and what else is taken",
    async () => {
      await create([BOB]);
      await expect(create([ADA, { ...BOB, email: "BOB@Example.com" }, EVE])).rejects.toMatchObject({
        failure: {
          code: "INVALID_ARGS",
          retryable: false,
          hint: expect.stringMatching(/^Row 1, counted from 0, .*\/args\/contacts\/1\/email/),
          issues: [{ path: "/args/contacts/1/email", received: 'the string "BOB@Example.com"' }],
        },
      });
      expect(await stored()).toEqual([BOB]);
    },
  );

  trial("because it has the address of a row before it", async () => {
    await expect(create([ADA, EVE, { ...ADA, email: "ADA@example.com" }])).rejects.toMatchObject({
      failure: { code: "INVALID_ARGS", issues: [{ path: "/args/contacts/2/email" }] },
    });
    expect(await stored()).toEqual([]);
  });

  trial("another tenant's address is not taken", async () => {
    await create([ADA], { tenant: "acme" });
    await create([{ ...EVE, email: "root@example.com" }]);
    expect(await stored()).toHaveLength(2);
    expect(await stored("sandbox-admin")).toHaveLength(1);
  });

  trial("of many taken rows it tells the first ten", async () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({ email: `n${n}@example.com`, name: "N" }));
    await create(rows);
    await expect(create([ADA, ...rows])).rejects.toMatchObject({ failure: { issues: { length: 10 } } });
  });
});

describe("create_contacts does what it does once", () => {
  trial("when the same call is made again", async () => {
    const first = await create([ADA, BOB], { key: "same" });
    expect(await create([ADA, BOB], { key: "same" })).toEqual(first);
    expect(await stored()).toHaveLength(2);
  });

  trial("when the answer of its first attempt was lost", async () => {
    // As D1 fails when its connection is lost after the statement took effect.
    const database = data.bindings["DATA"] as {
      prepare(sql: string): { bind(...values: unknown[]): object };
    };
    const losing = {
      prepare: (sql: string) => ({
        bind: (...values: unknown[]) => ({
          all: async () => {
            await (database.prepare(sql).bind(...values) as { all(): Promise<unknown> }).all();
            throw new Error("D1_ERROR: Network connection lost.");
          },
        }),
      }),
    };
    const lost = create([ADA], { key: "lost", bindings: { DATA: losing } });
    await expect(lost).rejects.toMatchObject({ failure: { code: "UPSTREAM_ERROR", retryable: true } });
    expect(await create([ADA], { key: "lost" })).toMatchObject({ created: [{ email: ADA.email }] });
    expect(await stored()).toHaveLength(1);
  });

  trial("but not for another tenant under the same key", async () => {
    await create([ADA], { key: "shared" });
    await create([BOB], { key: "shared", tenant: "acme2" });
    expect(await stored("acme2")).toEqual([BOB]);
  });
});

test("create_contacts says that rows may be sent again when who had the address is gone meanwhile", async () => {
  const statement = (sql: string) => ({
    bind: () => statement(sql),
    all: () =>
      sql.includes("INSERT")
        ? Promise.reject(new Error("D1_ERROR: UNIQUE constraint failed: contacts.email: SQLITE_CONSTRAINT"))
        : Promise.resolve({ results: [] }),
  });
  await expect(create([ADA], { bindings: { DATA: { prepare: statement } } })).rejects.toMatchObject({
    failure: { code: "UPSTREAM_ERROR", retryable: true },
  });
});

trial("create_contacts stores text as it is, whatever it looks like", async () => {
  const rows = [
    { email: "o'hara@example.com", name: "'); DROP TABLE contacts; --", company: '{"$ref": "a#"}' },
    { email: "ü@exämple.com", name: "Ü 🙂\u200B" },
  ];
  await create(rows);
  expect(await stored()).toEqual([rows[0], { ...rows[1], company: null }]);
});

trial.each([
  { contacts: [] },
  { contacts: Array.from({ length: 101 }, (_, n) => ({ ...ADA, email: `n${n}@example.com` })) },
  { contacts: [{ name: "No address" }] },
  { contacts: [{ ...ADA, email: "no address" }] },
  { contacts: [{ ...ADA, email: "a@b" }] },
  { contacts: [{ ...ADA, name: " " }] },
  { contacts: [{ ...ADA, phone: "1" }] },
  { contacts: [{ ...ADA, name: "\u0000A" }] },
  { contacts: [{ ...ADA, name: "A\nB" }] },
  { contacts: [{ ...ADA, company: "\uD83D" }] },
  { contacts: [{ ...ADA, email: "a\u0000@example.com" }] },
  { contacts: [{ ...ADA, email: "a\uDC00@example.com" }] },
  { contacts: ADA },
])("create_contacts does not accept %j", (args) => {
  expect(z.safeParse(createContacts.input, args).success).toBe(false);
});

test("create_contacts is a fail-fast write, one at a time, that its key makes once", () => {
  expect(createContacts).toMatchObject({
    isWrite: true,
    onError: "fail-fast",
    concurrency: 1,
    repeatable: true,
    idempotent: false,
  });
});

trial("delete_contacts takes back what create_contacts created, of its own tenant", async () => {
  const remove = (contact_ids: readonly unknown[], tenant = "acme"): Promise<unknown> =>
    runTool(deleteContacts, { contact_ids }, { bindings: data.bindings, tenant }).output;
  await create([EVE]);
  const { created } = (await create([ADA, BOB])) as { created: { contact_id: string }[] };
  const ids = created.map(({ contact_id }) => contact_id);
  expect(await remove(created, "other")).toEqual({ deleted: [] });
  expect(await remove(created)).toEqual({ deleted: ids });
  expect(await remove(ids)).toEqual({ deleted: [] });
  expect(await stored()).toEqual([{ ...EVE, company: null }]);
});
