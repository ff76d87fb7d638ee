import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as LIMITS from "../../src/core/contract/limits.ts";
import { ResultTable } from "../../src/cloudflare/durable/tables/result-table.ts";
import { KEEP_LIMITS } from "../../src/core/gate/state/kept-results.ts";
import { makeRequest } from "./gate-requests.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const gateOf = (namespace: typeof env.TENANT_GATE = env.TENANT_GATE) =>
  namespace.getByName(`results-${++tenants}`);
type Stub = ReturnType<typeof gateOf>;

const result = (handle: string, json = `"${handle}"`) => ({ handle, json });
const rowsOf = (stub: Stub): Promise<string[]> =>
  runInDurableObject(stub, (_gate, { storage }) =>
    storage.sql
      .exec<{ handle: string }>("SELECT handle FROM results ORDER BY handle")
      .toArray()
      .map(({ handle }) => handle),
  );

/** Make every kept result so much older, as a restart would find it. */
async function age(stub: Stub, ms: number): Promise<void> {
  await runInDurableObject(stub, (_gate, { storage }) => {
    storage.sql.exec("UPDATE results SET kept_at = kept_at - ?", ms);
  });
  await evictDurableObject(stub);
}

test("what is kept is recalled, in the order asked, once each", async () => {
  const stub = gateOf();
  expect(await stub.keep([result("r-1"), result("r-2", '{"größe":"…🚗"}')])).toEqual(["r-1", "r-2"]);
  expect(await stub.recall(["r-2", "nobody", "r-1", "r-2"])).toEqual([
    result("r-2", '{"größe":"…🚗"}'),
    result("r-1"),
  ]);
});

trial("what is kept survives an eviction and a crash", async () => {
  const stub = gateOf();
  await stub.keep([result("r-1")]);
  await evictDurableObject(stub);
  expect(await stub.recall(["r-1"])).toEqual([result("r-1")]);
  await abortAllDurableObjects();
  expect(await env.TENANT_GATE.get(stub.id).recall(["r-1"])).toEqual([result("r-1")]);
});

test("T03 another tenant cannot recall it", async () => {
  const [stub, other] = [gateOf(), gateOf()];
  await stub.keep([result("r-1")]);
  expect(await other.recall(["r-1"])).toEqual([]);
});

trial("after 15 minutes it is gone, and any entry removes its row", async () => {
  const stub = gateOf();
  await stub.keep([result("r-1")]);
  await age(stub, LIMITS.resultRetentionMs - 60_000);
  expect(await stub.recall(["r-1"])).toEqual([result("r-1")]);
  await age(stub, 60_000);
  expect(await rowsOf(stub)).toEqual(["r-1"]);
  expect(await stub.recall(["r-1"])).toEqual([]);
  expect(await rowsOf(stub)).toEqual([]);

  await stub.keep([result("r-2")]);
  await age(stub, LIMITS.resultRetentionMs);
  await stub.admit(makeRequest());
  expect(await rowsOf(stub)).toEqual([]);
});

trial("the oldest go first when too many or too much is kept, after an eviction as before", async () => {
  const stub = gateOf(env.SMALL_GATE);
  for (const k of [1, 2, 3, 4]) await stub.keep([result(`r-${k}`)]);
  // Kept within one millisecond, so told apart here.
  await runInDurableObject(stub, (_gate, { storage }) => {
    storage.sql.exec("UPDATE results SET kept_at = kept_at - 100 + CAST(SUBSTR(handle, 3) AS INTEGER)");
  });
  await evictDurableObject(stub);
  expect(await stub.keep([result("r-5"), result("r-6")])).toEqual(["r-5", "r-6"]);
  expect(await rowsOf(stub)).toEqual(["r-2", "r-3", "r-4", "r-5", "r-6"]);
  const large = JSON.stringify("x".repeat(98));
  expect(await stub.keep([result("r-7", large), result("r-8", large)])).toEqual(["r-7", "r-8"]);
  expect(await rowsOf(stub)).toEqual(["r-4", "r-5", "r-6", "r-7", "r-8"]);
});

test("what is too large is not kept, and its siblings are", async () => {
  const stub = gateOf(env.SMALL_GATE);
  expect(await stub.keep([result("r-1", JSON.stringify("x".repeat(99))), result("r-2")])).toEqual(["r-2"]);
  expect(await stub.recall(["r-1", "r-2"])).toEqual([result("r-2")]);
});

test("T49 a result is kept with the name of its tool", async () => {
  const stub = gateOf();
  const kept = [{ ...result("r-1"), tool: "orders" }, result("r-2")];
  await stub.keep(kept);
  expect(await stub.recall(["r-1", "r-2"])).toEqual(kept);
});

test("a result of exactly the limit fits a row", async () => {
  const stub = gateOf();
  const json = JSON.stringify("x".repeat(LIMITS.resultBytes - 2));
  expect(await stub.keep([result("r-1", json)])).toEqual(["r-1"]);
  expect((await stub.recall(["r-1"]))[0]?.json.length).toBe(LIMITS.resultBytes);
});

test("sent twice, it is kept once", async () => {
  const stub = gateOf();
  await stub.keep([result("r-1")]);
  expect(await stub.keep([result("r-1"), result("r-2")])).toEqual(["r-1", "r-2"]);
  expect(await rowsOf(stub)).toEqual(["r-1", "r-2"]);
});

test("when storage refuses, nothing is kept and what was there stays", async () => {
  const stub = gateOf();
  await stub.keep([result("r-1")]);
  await runInDurableObject(stub, (_gate, { storage }) => {
    const table = new ResultTable(storage, KEEP_LIMITS.results);
    const now = Date.now();
    // The second insert fails, and the first is undone with it.
    storage.sql.exec(
      "CREATE TRIGGER full BEFORE INSERT ON results WHEN NEW.handle = 'r-3' BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    expect(table.keep(now, [result("r-2"), result("r-3")])).toEqual([]);
    expect(table.recall(now, ["r-1", "r-2", "r-3"])).toEqual([result("r-1")]);
  });
});

test("an entry that has nothing to remove costs no SQL", async () => {
  const stub = gateOf();
  await stub.keep([result("r-1")]);
  await runInDurableObject(stub, (_gate, { storage }) => {
    const table = new ResultTable(storage, KEEP_LIMITS.results);
    let statements = 0;
    const exec = storage.sql.exec.bind(storage.sql);
    storage.sql.exec = ((...args: Parameters<typeof exec>) => {
      statements += 1;
      return exec(...args);
    }) as typeof exec;
    table.prune(Date.now());
    expect(statements).toBe(0);
  });
});

trial("what stands on another shelf is another thing, and survives a crash there", async () => {
  const stub = gateOf();
  await stub.keep([result("r-1", '"result"')]);
  await stub.keep([result("r-1", '"turn"')], "turns");
  await stub.keep([result("q-1")], "questions");
  await abortAllDurableObjects();
  const again = env.TENANT_GATE.get(stub.id);
  expect(await again.recall(["r-1", "q-1"])).toEqual([result("r-1", '"result"')]);
  expect(await again.recall(["r-1", "q-1"], "turns")).toEqual([result("r-1", '"turn"')]);
  expect(await again.recall(["r-1", "q-1"], "questions")).toEqual([result("q-1")]);
});

trial.each([
  ["turns", LIMITS.turnRetentionMs],
  ["questions", LIMITS.maxQuestionTtlMs + LIMITS.questionRetentionMs],
] as const)("%s are kept as long as they may be needed, and no longer", async (shelf, retentionMs) => {
  const stub = gateOf();
  await stub.keep([result("t-1")], shelf);
  const olderBy = (ms: number): Promise<void> =>
    runInDurableObject(stub, (_gate, { storage }) => {
      storage.sql.exec(`UPDATE ${shelf} SET kept_at = kept_at - ?`, ms);
    }).then(() => evictDurableObject(stub));
  await olderBy(retentionMs - 60_000);
  expect(await stub.recall(["t-1"], shelf)).toEqual([result("t-1")]);
  await olderBy(60_000);
  expect(await stub.recall(["t-1"], shelf)).toEqual([]);
});

test("a handle that is kept again with other JSON holds the last of a result or a question, and nothing of a turn", async () => {
  const stub = gateOf();
  for (const shelf of ["results", "questions", "turns"] as const) {
    await stub.keep([result("r-1", "1"), result("r-2", "2")], shelf);
    expect(await stub.keep([result("r-1", "1"), result("r-2", "3")], shelf)).toEqual(["r-1", "r-2"]);
    const last = shelf === "turns" ? "" : "3";
    expect(await stub.recall(["r-1", "r-2"], shelf)).toEqual([result("r-1", "1"), result("r-2", last)]);
  }
  await stub.keep([result("r-2", "2")], "turns");
  expect(await stub.recall(["r-2"], "turns")).toEqual([result("r-2", "")]);
});
