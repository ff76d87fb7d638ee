import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import * as CONFIRMATIONS_LIMITS from "../../src/features/confirmations/limits.ts";
import { ConfirmationTable } from "../../src/features/confirmations/objects/confirmation-table.ts";
import { callConfirmations, GROUP_FORMAT } from "../../src/features/confirmations/confirmation.ts";
import { CONFIRMATION_LIMITS } from "../../src/features/confirmations/confirmation-rules.ts";
import { ask } from "./ask-confirmations.ts";
import { countRows } from "./count-rows.ts";
import { HUNDRED_AN_HOUR, makeJobsRequest, makeRequest, makeSpec } from "./gate-requests.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const gateOf = (namespace: typeof env.TENANT_GATE = env.TENANT_GATE) =>
  namespace.getByName(`confirmations-${++tenants}`);
type Stub = ReturnType<typeof gateOf>;

const group = (id: string, groupJson = `{"of":"${id}"}`) => ({ id, groupJson });
const by = (name: string, id = "c") => ({ id, by: name });
const statusOf = async (stub: Stub, id = "c") => (await ask(stub).confirmation(id))?.status;
const countsOne = makeRequest({ quota: HUNDRED_AN_HOUR });

/** Let time pass for every confirmation, as a restart would find it. */
async function age(stub: Stub, ms: number): Promise<void> {
  await runInDurableObject(stub, (_gate, { storage }) => {
    storage.sql.exec(
      "UPDATE confirmations SET created_at = created_at - ?, expires_at = expires_at - ?",
      ms,
      ms,
    );
  });
  await evictDurableObject(stub);
}

describe("park()", () => {
  test("records groups, to be read back after an eviction and a crash, by no other tenant", async () => {
    const [stub, other] = [gateOf(), gateOf()];
    const [parked] = await ask(stub).park([group("c", '{"größe":"…🚗"}')]);
    expect(parked!.expiresAt - Date.now()).toBeGreaterThan(CONFIRMATIONS_LIMITS.confirmationTtlMs - 60_000);
    await evictDurableObject(stub);
    const read = await ask(stub).confirmation("c");
    expect(read).toMatchObject({ id: "c", status: "pending", groupJson: '{"größe":"…🚗"}' });
    expect(read!.expiresAt).toBe(parked!.expiresAt);
    await abortAllDurableObjects();
    expect(await ask(env.TENANT_GATE.get(stub.id)).confirmation("c")).toEqual(read);
    expect(await ask(other).confirmation("c")).toBeNull();
    expect(await ask(other).approve(by("ann"), countsOne)).toEqual({ refused: "unknown" });
  });

  test("sent twice, records once and says the same", async () => {
    const stub = gateOf();
    const first = await ask(stub).park([group("c")]);
    expect(await ask(stub).park([group("c")])).toEqual(first);
  });

  test("T56 asks nothing a second time about an action that an earlier run asked about, also after a decision and an eviction", async () => {
    const stub = gateOf();
    const named = (...names: string[]) =>
      JSON.stringify({ format: GROUP_FORMAT, actions: [], requestedBy: "k", names });
    const first = await ask(stub).park([group("c", named("seed:a", "seed:b"))]);
    expect(await ask(stub).reject(by("ann"))).toBeNull();
    await evictDurableObject(stub);
    const again = await ask(stub).park([
      { ...group("d", named("seed:b", "seed:x")), again: ["seed:b", "seed:x"] },
      { ...group("e", named("seed:bb")), again: ["seed:bb"] },
      group("f", named("seed:a")),
    ]);
    const { expiresAt } = first[0]!;
    expect(again[0]).toMatchObject({
      id: "d",
      expiresAt,
      asked: [{ id: "c", expiresAt, groupJson: named("seed:a", "seed:b") }],
    });
    expect(again.slice(1).map(({ id, asked }) => [id, asked])).toEqual([
      ["e", undefined],
      ["f", undefined],
    ]);
    expect(await ask(stub).confirmation("d")).toBeNull();
  });

  test("refuses what is over the tenant's count, and keeps the rest", async () => {
    const stub = gateOf(env.SMALL_GATE);
    const parked = await ask(stub).park(["a", "b", "c", "d"].map((id) => group(id)));
    expect(parked.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(await ask(stub).confirmation("d")).toBeNull();
    expect(await ask(stub).reject(by("ann", "a"))).toBeNull();
    expect((await ask(stub).park([group("d")])).map(({ id }) => id)).toEqual(["d"]);
  });

  test("records none where storage refuses one, and what was there stays", async () => {
    const stub = gateOf();
    await ask(stub).park([group("c")]);
    await runInDurableObject(stub, (_gate, { storage }) => {
      const table = new ConfirmationTable(storage, CONFIRMATION_LIMITS);
      storage.sql.exec(
        "CREATE TRIGGER full BEFORE INSERT ON confirmations WHEN NEW.id = 'e' BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
      const now = Date.now();
      expect(table.park(now, [group("d"), group("e")])).toEqual([]);
      expect([table.read(now, "c")?.status, table.read(now, "d")]).toEqual(["pending", null]);
    });
  });

  test("takes a group of the limit", async () => {
    const stub = gateOf();
    const json = JSON.stringify("x".repeat(CONFIRMATIONS_LIMITS.confirmationBytes - 2));
    await ask(stub).park([group("c", json)]);
    expect((await ask(stub).confirmation("c"))!.groupJson).toBe(json);
  });
});

describe("approve()", () => {
  trial("grants one of fifty that ask at once, and counts only that one", async () => {
    const stub = gateOf();
    await ask(stub).park([group("c")]);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => ask(stub).approve(by(`key-${n}`), countsOne)),
    );
    const granted = answers.flatMap((answer) => (answer.refused === null ? [answer.admission] : []));
    expect(granted).toHaveLength(1);
    expect(granted[0]!.quota!.remaining).toBe(99);
    expect(answers.filter(({ refused }) => refused === "running")).toHaveLength(49);
    expect((await stub.admit(countsOne)).quota!.remaining).toBe(98);
  });

  test("records the jobs that are admitted with it, and none for a claim that is refused", async () => {
    const stub = gateOf();
    await ask(stub).park([group("c")]);
    const granted = await ask(stub).approve(by("ann"), makeJobsRequest(makeSpec("approved", [])));
    expect(granted).toMatchObject({ refused: null, admission: { recorded: [{ index: 0, fence: 1 }] } });
    await ask(stub).approve(by("bob"), makeJobsRequest(makeSpec("too-late", [])));
    expect(await stub.job("too-late")).toBeNull();
  });

  trial("leaves it pending where the quota is used up", async () => {
    const stub = gateOf();
    await ask(stub).park([group("c")]);
    const one = makeRequest({ quota: { bucket: "key:one", limit: 1, windowS: 3_600 } });
    await stub.admit(one);
    const denied = await ask(stub).approve(by("ann"), one);
    expect(denied).toMatchObject({ refused: null, admission: { quota: { allowed: false } } });
    expect(await statusOf(stub)).toBe("pending");
    expect(await ask(stub).approve(by("bob"), countsOne)).toMatchObject({ refused: null });
  });

  trial("sent twice by who decided is granted twice: its first answer was lost", async () => {
    const stub = gateOf();
    await ask(stub).park([group("c")]);
    await ask(stub).approve(by("ann"), countsOne);
    expect(await ask(stub).approve(by("ann"), countsOne)).toMatchObject({ refused: null });
  });

  trial("is remembered over a crash: what was approved never becomes pending again", async () => {
    const stub = gateOf();
    await ask(stub).park([group("c")]);
    await ask(stub).approve(by("ann"), countsOne);
    await abortAllDurableObjects();
    const fresh = env.TENANT_GATE.get(stub.id);
    expect(await ask(fresh).approve(by("bob"), countsOne)).toEqual({ refused: "running" });
    expect(await ask(fresh).reject(by("bob"))).toBe("running");
    await ask(fresh).conclude(by("bob"));
    expect(await statusOf(fresh)).toBe("running");
    await ask(fresh).conclude(by("ann"));
    expect(await statusOf(fresh)).toBe("done");
  });

  trial("comes too late after the time, or a no", async () => {
    const stub = gateOf();
    await ask(stub).park([group("c"), group("d")]);
    expect(await ask(stub).reject(by("ann", "d"))).toBeNull();
    expect(await ask(stub).approve(by("bob", "d"), countsOne)).toEqual({ refused: "rejected" });
    await age(stub, CONFIRMATIONS_LIMITS.confirmationTtlMs);
    expect(await statusOf(stub)).toBe("expired");
    expect(await ask(stub).approve(by("ann"), countsOne)).toEqual({ refused: "expired" });
  });
});

describe("conclude() and reject()", () => {
  trial("keep what the decision was answered with, and its key, through an eviction", async () => {
    const stub = gateOf();
    await ask(stub).park([group("c"), group("d"), group("e")]);
    expect(await ask(stub).confirmation("c")).toMatchObject({ key: null, answerJson: null });
    const claim = { id: "c", by: "ann", key: "k" };
    await ask(stub).approve(claim, makeRequest());
    await ask(stub).conclude({ id: "c", by: "bob" }, "[]");
    expect(await ask(stub).confirmation("c")).toMatchObject({ status: "running", answerJson: null });
    await ask(stub).conclude(claim, '{"größe":1}');
    await ask(stub).conclude(claim, '{"another":1}');
    await ask(stub).reject({ id: "d", by: "ann" }, '{"no":1}');
    await ask(stub).reject({ id: "e", by: "ann" });
    await evictDurableObject(stub);
    expect(await ask(stub).confirmation("c")).toMatchObject({
      status: "done",
      key: "k",
      answerJson: '{"größe":1}',
    });
    expect(await ask(stub).confirmation("d")).toMatchObject({
      status: "rejected",
      key: null,
      answerJson: '{"no":1}',
    });
    expect(await ask(stub).confirmation("e")).toMatchObject({ status: "rejected", answerJson: null });
  });

  trial("forget the key of an approval that was taken back", async () => {
    const stub = gateOf();
    const one = makeRequest({ quota: { ...HUNDRED_AN_HOUR, limit: 1 } });
    await stub.admit(one);
    await ask(stub).park([group("c")]);
    await ask(stub).approve({ id: "c", by: "ann", key: "k" }, one);
    expect(await ask(stub).confirmation("c")).toMatchObject({ status: "pending", key: null });
  });

  trial("count what they keep: the oldest that are over go for it, or it is not kept", async () => {
    const stub = gateOf();
    await ask(stub).park(["a", "b", "c", "d"].map((id) => group(id)));
    await runInDurableObject(stub, (_gate, { storage }) => {
      const table = new ConfirmationTable(storage, { ...CONFIRMATION_LIMITS, allBytes: 100 });
      const reject = (id: string, answer: string) =>
        table.change(Date.now(), { kind: "reject", claim: by("ann", id) }, answer);
      expect(reject("a", "x".repeat(40))).toBeNull();
      expect(reject("b", "y".repeat(40))).toBeNull();
      expect(table.read(Date.now(), "a")).toBeNull();
      expect(table.read(Date.now(), "b")).toMatchObject({ answerJson: "y".repeat(40) });
      expect(reject("c", "z".repeat(90))).toBeNull();
      expect(table.read(Date.now(), "c")).toMatchObject({ status: "rejected", answerJson: null });
      expect(table.read(Date.now(), "d")).toMatchObject({ status: "pending" });
      const bytes = storage.sql.exec<{ sum: number }>("SELECT SUM(bytes) AS sum FROM confirmations").one();
      expect(bytes.sum).toBeLessThanOrEqual(100);
    });
  });
});

trial(
  "pin() puts other words in place of a question that waits, as it was looked at, and of none that has changed or is decided",
  async () => {
    const stub = gateOf();
    const pin = (shown: string, groupJson: string) => callConfirmations(stub, "pin", "c", shown, groupJson);
    const [first, second, third] = ["one", "two", "three"].map((argsHash) => JSON.stringify({ argsHash }));
    const kept = async (): Promise<string | undefined> => (await ask(stub).confirmation("c"))?.groupJson;
    await ask(stub).park([group("c", first)]);
    await pin("one", second!);
    expect(await kept()).toBe(second);
    // Somebody else has looked at it before that.
    await pin("one", third!);
    expect(await kept()).toBe(second);
    await evictDurableObject(stub);
    expect(await ask(stub).approve(by("ann"), makeRequest())).toMatchObject({ refused: null });
    await pin("two", third!);
    expect(await kept()).toBe(second);
  },
);

describe("A confirmation's row", () => {
  trial(
    "is written once for each change, beside the alarm that tells of its end, and goes with any entry a day after it expired",
    async () => {
      const stub = gateOf();
      const rowsWritten = await countRows(stub);
      await ask(stub).park([group("c")]);
      expect(await rowsWritten()).toBe(2);
      await ask(stub).approve(by("ann"), makeRequest());
      expect(await rowsWritten()).toBe(3);
      await ask(stub).conclude(by("ann"));
      expect(await rowsWritten()).toBe(4);
      await age(stub, CONFIRMATIONS_LIMITS.confirmationTtlMs + LIMITS.questionRetentionMs - 60_000);
      expect(await statusOf(stub)).toBe("done");
      await age(stub, 60_000);
      await stub.admit(makeRequest());
      await runInDurableObject(stub, (_gate, { storage }) => {
        expect(storage.sql.exec("SELECT id FROM confirmations").toArray()).toEqual([]);
      });
    },
  );

  test("is taken once when it ends soon and once when it has ended, by the alarm alone", async () => {
    const stub = gateOf();
    await ask(stub).park([group("c")]);
    await runInDurableObject(stub, async (_gate, { storage }) => {
      const alarmAt = await storage.getAlarm();
      const { created_at: at } = storage.sql
        .exec<{ created_at: number }>("SELECT created_at FROM confirmations")
        .one();
      expect(alarmAt! - at).toBe(0.75 * CONFIRMATIONS_LIMITS.confirmationTtlMs);
      const table = new ConfirmationTable(storage, CONFIRMATION_LIMITS);
      const taken = (ms: number) => table.takeDue(at + ms, 100).map(({ told }) => told);
      const { confirmationTtlMs: ttlMs } = CONFIRMATIONS_LIMITS;
      expect(taken(0.75 * ttlMs - 1)).toEqual([]);
      expect(taken(0.75 * ttlMs)).toEqual(["expiring"]);
      expect(taken(ttlMs - 1)).toEqual([]);
      const again = new ConfirmationTable(storage, CONFIRMATION_LIMITS);
      expect(again.takeDue(at + ttlMs, 100).map(({ told }) => told)).toEqual(["expired"]);
      expect([again.tellAt, again.takeDue(at + 2 * ttlMs, 100)]).toEqual([null, []]);
    });
  });

  test("without a listener costs no SQL", async () => {
    const stub = gateOf();
    await ask(stub).park([group("c")]);
    await runInDurableObject(stub, (_gate, { storage }) => {
      const table = new ConfirmationTable(storage, CONFIRMATION_LIMITS);
      const exec = storage.sql.exec.bind(storage.sql);
      let statements = 0;
      storage.sql.exec = ((...args: Parameters<typeof exec>) => {
        statements += 1;
        return exec(...args);
      }) as typeof exec;
      table.prune(Date.now());
      expect(statements).toBe(0);
    });
  });
});

describe("confirmations()", () => {
  const about = (id: string, ...tools: string[]) => ({
    id,
    groupJson: JSON.stringify({
      format: 1,
      requestedBy: "ann",
      actions: tools.map((tool, at) => ({
        id: `a${at}`,
        tool,
        gated: at === 0,
        needs: [],
        args: { input: "geheim" },
      })),
    }),
  });
  const everything = { status: null, limit: 100, after: null };
  const idsOf = (listed: readonly { readonly id: string }[]) => listed.map(({ id }) => id);

  trial("lists what was parked, newest first, with arguments in a line, from any place on", async () => {
    const stub = gateOf();
    await ask(stub).park([about("a", "drop"), about("b", "drop", "mail"), about("c", "purge")]);
    await runInDurableObject(stub, (_gate, { storage }) => {
      storage.sql.exec("UPDATE confirmations SET created_at = created_at - 1000 WHERE id = 'b'");
    });
    await evictDurableObject(stub);
    const listed = (await ask(stub).confirmations(everything)).rows;
    expect(idsOf(listed)).toEqual(["c", "a", "b"]);
    expect(listed[2]!.head).toEqual({
      requestedBy: "ann",
      actions: [
        { id: "a0", tool: "drop", gated: true, args: '"geheim"' },
        { id: "a1", tool: "mail", gated: false, args: '"geheim"' },
      ],
    });
    expect(idsOf((await ask(stub).confirmations({ ...everything, after: listed[0]! })).rows)).toEqual([
      "a",
      "b",
    ]);
    expect(idsOf((await ask(stub).confirmations({ ...everything, limit: 1 })).rows)).toEqual(["c"]);
  });

  trial("lists only what holds no tool besides those that are asked for", async () => {
    const stub = gateOf();
    await ask(stub).park([about("a", "drop"), about("b", "drop", "mail"), group("older")]);
    expect(idsOf((await ask(stub).confirmations({ ...everything, tools: ["drop"] })).rows)).toEqual(["a"]);
    expect(idsOf((await ask(stub).confirmations({ ...everything, tools: [] })).rows)).toEqual([]);
    expect(idsOf((await ask(stub).confirmations(everything)).rows)).toEqual(["b", "a"]);
  });

  trial("says what each is by now, and lists by that", async () => {
    const stub = gateOf();
    await ask(stub).park([about("a", "drop"), about("b", "drop")]);
    await ask(stub).reject(by("ann", "a"));
    expect(idsOf((await ask(stub).confirmations({ ...everything, status: "rejected" })).rows)).toEqual(["a"]);
    await age(stub, CONFIRMATIONS_LIMITS.confirmationTtlMs);
    expect(idsOf((await ask(stub).confirmations({ ...everything, status: "pending" })).rows)).toEqual([]);
    expect((await ask(stub).confirmations({ ...everything, status: "expired" })).rows).toMatchObject([
      { id: "b", status: "expired" },
    ]);
  });

  trial("reads neither groups nor answers, however large", async () => {
    const stub = gateOf();
    await ask(stub).park(["a", "b", "c"].map((id) => about(id, "drop")));
    await runInDurableObject(stub, (_gate, { storage }) => {
      const table = new ConfirmationTable(storage, CONFIRMATION_LIMITS);
      const exec = storage.sql.exec.bind(storage.sql);
      const read: string[] = [];
      storage.sql.exec = ((query: string, ...bindings: SqlStorageValue[]) => {
        read.push(query);
        return exec(query, ...bindings);
      }) as typeof exec;
      const { rows, hasMore } = table.list(Date.now(), { ...everything, limit: 2 });
      expect([rows.length, hasMore]).toEqual([2, true]);
      // One pass over the table for a page, however many it has: to find each by its id would compare whole rows.
      expect(read).toHaveLength(1);
      expect(read[0]).not.toMatch(/island_json|answer_json|WHERE id = /);
    });
  });

  test("lists only those whose heads have a text, and reads the heads of no others", async () => {
    const stub = gateOf();
    const named = (id: string, ...names: string[]) =>
      group(id, JSON.stringify({ format: GROUP_FORMAT, actions: [], requestedBy: "k", names }));
    await ask(stub).park([named("a", "ada"), named("b", "bob"), ...Array.from("cdef", (id) => named(id))]);
    await runInDurableObject(stub, (_gate, { storage }) => {
      const table = new ConfirmationTable(storage, CONFIRMATION_LIMITS);
      const exec = storage.sql.exec.bind(storage.sql);
      let given = 0;
      storage.sql.exec = ((query: string, ...bindings: SqlStorageValue[]) => {
        const rows = exec(query, ...bindings).toArray();
        given += rows.length;
        return rows;
      }) as unknown as typeof exec;
      const having = ['"ada"', '"nobody"'];
      expect(idsOf(table.list(Date.now(), { ...everything, having }).rows)).toEqual(["a"]);
      // Its id, and then its head.
      expect(given).toBe(2);
    });
  });
});
