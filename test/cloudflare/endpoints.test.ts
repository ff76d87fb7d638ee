import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { ShardStore } from "../../src/features/endpoints/objects/shard-store.ts";
import { eventually } from "../support/eventually.ts";
import { countRows } from "./count-rows.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const SETTINGS = { url: "https://shop.acme.dev/hooks", events: ["*"], ordered: false, paused: false };
const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;

/** A tenant with so many endpoints. */
async function openTenant(endpoints: number, customers?: number) {
  const tenant = `fan-out-${(tenants += 1)}`;
  const directory = env.ENDPOINTS.getByName(tenant);
  for (let n = 0; n < endpoints; n += 1) {
    const customer = customers === undefined ? {} : { customer: `c_${n % customers}` };
    const settings = { ...SETTINGS, ...customer };
    await directory.put({ id: `e${n}`, settings, secret: SECRET, enables: true });
  }
  const shards = Array.from({ length: 16 }, (_, n) => env.ENDPOINT_SHARDS.getByName(`${tenant}/${n}`));
  const delivered = (id: string) =>
    eventually("the deliveries", async () => {
      const found = await directory.event(id);
      return found?.counts.delivered === endpoints || undefined;
    });
  return { directory, shards, delivered };
}

const publish = async (directory: Awaited<ReturnType<typeof openTenant>>["directory"], n: number) => {
  const published = await directory.publish({ type: "x", data: `{"n":${n}}`, customer: null });
  if (!published.ok) throw new Error("Cannot publish");
  return published.value;
};

describe("The objects of a tenant's endpoints", () => {
  trial(
    "make a sixteenth of an event's deliveries each, and write no more than two rows for one that succeeds at once",
    async () => {
      const { directory, shards, delivered } = await openTenant(64);
      const counts = await Promise.all(shards.map(async (shard) => (await shard.readEndpoints()).length));
      expect(counts).toEqual(Array.from({ length: 16 }, () => 4));
      const rows = await Promise.all([countRows(directory), ...shards.map((shard) => countRows(shard))]);
      const { eventId, endpoints } = await publish(directory, 1);
      expect(endpoints).toBe(64);
      await delivered(eventId);
      const written = await Promise.all(rows.map((count) => count()));
      // The event, and the alarm of the day; in each object the event and its alarm; one for each delivery.
      expect(written[0]).toBe(1 + 1);
      expect(Math.max(...written.slice(1))).toBeLessThanOrEqual(1 + 1 + 4);
      expect(written.reduce((sum, count) => sum + count, 0) / 64).toBeLessThanOrEqual(2);
    },
  );

  trial(
    "keep the endpoints of a customer together while they are few, and cost an event for two of them three rows each at most",
    async () => {
      const { directory, shards } = await openTenant(32, 16);
      const kept = await Promise.all(shards.map((shard) => shard.readEndpoints()));
      expect(kept.map(({ length }) => length)).toEqual(shards.map(() => 2));
      for (const here of kept) expect(new Set(here.map(({ customer }) => customer)).size).toBe(1);
      const told = async (): Promise<void> => {
        const published = await directory.publish({ type: "x", data: "{}", customer: "c_0" });
        expect(published).toMatchObject({ value: { endpoints: 2 } });
        const { eventId } = (published as { value: { eventId: string } }).value;
        await eventually("the deliveries", async () => {
          const found = await directory.event(eventId);
          return found?.counts.delivered === 2 || undefined;
        });
      };
      // The first event of a day sets the alarm of the day.
      await told();
      const rows = await Promise.all([countRows(directory), ...shards.map((shard) => countRows(shard))]);
      await told();
      const written = await Promise.all(rows.map((count) => count()));
      expect(written.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2 * 3);
      expect(written.filter((count) => count > 0)).toHaveLength(2);
    },
  );

  trial(
    "cost an event for one endpoint one call besides the directory's, three rows and an alarm",
    async () => {
      const { directory, shards, delivered } = await openTenant(1);
      // The first event of a day sets the alarm of the day.
      await delivered((await publish(directory, 0)).eventId);
      const rows = await Promise.all([countRows(directory), ...shards.map((shard) => countRows(shard))]);
      const { eventId } = await publish(directory, 1);
      await delivered(eventId);
      const written = await Promise.all(rows.map((count) => count()));
      expect(written.filter((count) => count > 0)).toHaveLength(2);
      expect(written.reduce((sum, count) => sum + count, 0)).toBe(3 + 1);
    },
  );

  trial("write no row for endpoints that are paused", async () => {
    const { directory, shards } = await openTenant(2);
    for (const id of ["e0", "e1"])
      await directory.put({ id, settings: { ...SETTINGS, paused: true }, secret: SECRET, enables: false });
    const rows = await Promise.all(shards.map((shard) => countRows(shard)));
    expect(await publish(directory, 1)).toMatchObject({ endpoints: 0 });
    expect(await Promise.all(rows.map((count) => count()))).toEqual(shards.map(() => 0));
  });

  trial("take an event once, through an eviction, however often it is offered", async () => {
    const { directory, shards, delivered } = await openTenant(16);
    const asked = { type: "x", data: "{}", customer: null, id: "once" };
    expect(await directory.publish(asked)).toMatchObject({ value: { eventId: "once", endpoints: 16 } });
    await delivered("once");
    for (const object of [directory, ...shards]) await evictDurableObject(object);
    const rows = await Promise.all(shards.map((shard) => countRows(shard)));
    expect(await directory.publish(asked)).toMatchObject({ value: { eventId: "once", endpoints: 16 } });
    expect(await Promise.all(rows.map((count) => count()))).toEqual(shards.map(() => 0));
    expect(await directory.publish({ ...asked, data: '{"n":1}' })).toEqual({
      ok: false,
      error: { kind: "conflict" },
    });
  });
});

describe("An object that delivers, after an eviction", () => {
  const DAY = 86_400_000;
  /** Change what is kept of the only endpoint of an object. */
  const change = (shard: DurableObjectStub, fields: object): Promise<void> =>
    runInDurableObject(shard, (_, { storage }) => {
      const { json } = storage.sql.exec<{ json: string }>("SELECT json FROM endpoints").one();
      const kept = { ...(JSON.parse(json) as object), ...fields };
      storage.sql.exec("UPDATE endpoints SET json = ?", JSON.stringify(kept));
    });

  test("disables an endpoint whose five days of failures began before", async () => {
    const { directory, shards } = await openTenant(1);
    const [shard] = shards;
    const since = Date.now() - 5 * DAY - 1_000;
    await change(shard!, { failingSince: since, failedLast: since + 4 * DAY });
    await evictDurableObject(shard!);
    await runInDurableObject(shard!, (object) => (object as unknown as { alarm(): Promise<void> }).alarm());
    const found = await directory.get("e0");
    expect(found!.endpoint).toMatchObject({ disabled: { because: "failing" }, failingSince: since });
  });
});

test("F35 T62 An object that was evicted knows how each of its endpoints answered last, without a row for it", async () => {
  const { shards } = await openTenant(1);
  const attempt = (durationMs: number) => [{ at: 1, durationMs, status: 200 }];
  const fresh = { eventId: "evt", type: "x", tries: 1, dueAt: null, createdAt: 1 };
  await runInDurableObject(shards[0]!, (_, { storage }) => {
    const before = new ShardStore(storage);
    const endpoint = before.endpoints.find("e0")!;
    for (const no of [101, 102, 103, 104, 105])
      before.write({ ...endpoint, id: `e${no}`, no, ...(no === 104 && { failingSince: 1, failedLast: 1 }) });
    for (const [no, took] of [
      [101, 30],
      [102, 2_500],
      [104, 30],
    ] as const)
      before.deliveries.write({ ...fresh, no, seq: 1, status: "delivered", attempts: attempt(took) });
    // The latest one did not get through, but what says so is kept with the endpoint.
    before.deliveries.write({ ...fresh, no: 101, seq: 2, status: "discarded", attempts: [] });
    const store = new ShardStore(storage, 6);
    const due = (nos: readonly number[]): number[] => {
      for (const no of nos) for (const seq of [9, 10, 11, 12, 13]) store.queue.add(no, { seq, dueAt: 0 });
      const turns = [];
      for (let turn = store.queue.claim(0); turn !== null; turn = store.queue.claim(0)) turns.push(turn);
      for (const turn of turns) store.queue.leave(turn);
      for (const no of nos) store.queue.clear(no);
      return turns.map(({ no }) => no);
    };
    // One that answers quickly has all but a third of the places; the others have one.
    expect(due([101])).toEqual([101, 101, 101, 101]);
    for (const no of [102, 103, 104]) expect(due([no])).toEqual([no]);
    // Those that were slow, failed or never answered have a third together.
    expect(due([102, 103, 104])).toEqual([102, 103]);
  });
});

describe("T59 An endpoint that is deleted", () => {
  const rowsOf = (shard: DurableObjectStub) =>
    runInDurableObject(shard, (_, { storage }) => {
      const all = storage.sql.exec<{ no: number; json: string }>("SELECT no, json FROM endpoints").toArray();
      return all.map(({ json }) => json);
    });

  trial(
    "leaves its id, as long as its deliveries are kept, and nothing at all where it has none",
    async () => {
      const { directory, shards } = await openTenant(2);
      await directory.remove("e1");
      expect(await rowsOf(shards[1]!)).toEqual([]);
      await publish(directory, 1);
      await eventually("the delivery", async () => {
        const { deliveries } = await directory.deliveries({ endpoint: "e0", after: null, limit: 10 });
        return deliveries[0]?.status === "delivered" || undefined;
      });
      await directory.remove("e0");
      expect(await rowsOf(shards[0]!)).toEqual(['{"id":"e0"}']);
      await evictDurableObject(shards[0]!);
      const { deliveries } = await directory.deliveries({ endpoint: "e0", after: null, limit: 10 });
      expect(deliveries).toMatchObject([{ endpoint: "e0", status: "delivered", customer: null }]);
    },
  );

  test("by the version before, which kept more of it, leaves its id", async () => {
    const { directory, shards } = await openTenant(1);
    const { json } = await runInDurableObject(shards[0]!, (_, { storage }) => {
      const row = storage.sql.exec<{ json: string }>("SELECT json FROM endpoints").one();
      const before = {
        ...(JSON.parse(row.json) as object),
        url: "",
        secrets: [],
        events: ["x".repeat(9_000)],
      };
      storage.sql.exec("UPDATE endpoints SET json = ?, deleted_at = 1", JSON.stringify(before));
      return row;
    });
    expect(json).toContain("whsec_");
    await evictDurableObject(shards[0]!);
    expect(await directory.get("e0")).toBeNull();
    expect(await rowsOf(shards[0]!)).toEqual(['{"id":"e0"}']);
  });
});

describe("The last day of an endpoint", () => {
  trial(
    "T59 is counted as deliveries end: asked for, none of them is read, and after an eviction a hundred",
    async () => {
      const { directory, shards } = await openTenant(1);
      const [shard] = shards;
      const count = 1_234;
      await runInDurableObject(shard!, (_, { storage }) => {
        const store = new ShardStore(storage);
        const { no } = store.endpoints.find("e0")!;
        const now = Date.now();
        for (let seq = 1; seq <= count; seq += 1) {
          const status = seq % 10 === 0 ? ("failed" as const) : ("delivered" as const);
          const attempts = [{ at: now - 40, durationMs: 40, status: 200 }];
          const fresh = { no, seq, eventId: `e${seq}`, type: "x", tries: 1, dueAt: null, createdAt: now };
          store.days.count(no, now + seq, { as: status, tookMs: 40 });
          store.deliveries.write({ ...fresh, status, attempts: [{ ...attempts[0]!, at: now + seq - 40 }] });
        }
        const saved = storage.sql.exec<{ rows: number }>("SELECT COUNT(*) AS rows FROM days").one();
        expect(saved.rows).toBe(1);
      });
      await evictDurableObject(shard!);
      const day = { delivered: 1_111, failed: 123, missed: 123, pending: 0, p95Ms: 40 };
      expect((await directory.get("e0"))!.day).toEqual(day);
      const read = await runInDurableObject(shard!, (object, { storage }) => {
        const asked: number[] = [];
        const exec = storage.sql.exec.bind(storage.sql);
        storage.sql.exec = ((query: string, ...values: unknown[]) => {
          const cursor = exec(query, ...values);
          asked.push(1);
          return cursor;
        }) as typeof storage.sql.exec;
        const methods = object as unknown as {
          get(id: string): unknown;
          delivery(no: number, seq: number): unknown;
        };
        methods.get("e0");
        const ofEndpoint = asked.length;
        methods.delivery(1, 1);
        return { ofEndpoint, ofDelivery: asked.length };
      });
      expect(read).toEqual({ ofEndpoint: 0, ofDelivery: 1 });
    },
  );
});

describe("The bounds of a tenant's endpoints", () => {
  trial("are 10,000 endpoints: another one is refused, and one that there is can be replaced", async () => {
    const { directory } = await openTenant(1);
    await runInDurableObject(directory, (_, { storage }) => {
      storage.sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
         INSERT INTO endpoint_index (id, shard, customer) SELECT 'x' || i, i % 16, NULL FROM n`,
      );
    });
    await evictDurableObject(directory);
    const asked = { settings: SETTINGS, secret: SECRET, enables: true };
    expect(await directory.put({ ...asked, id: "one-more" })).toEqual({ ok: false, error: "too-many" });
    expect(await directory.put({ ...asked, id: "e0" })).toMatchObject({
      ok: true,
      value: { created: false },
    });
  });

  trial(
    "T21 are 10,000 deliveries that wait for one: the next has failed with BACKLOG_FULL, and others' have not",
    async () => {
      const { directory, shards } = await openTenant(17);
      const known = await Promise.all(shards.map((shard) => shard.readEndpoints()));
      // The one object that has two of them.
      const at = known.findIndex(({ length }) => length === 2);
      const [full, other] = known[at]!;
      await runInDurableObject(shards[at]!, (_, { storage }) => {
        // They wait for a time that does not come.
        storage.sql.exec(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
         INSERT INTO batches (slot, seq, event, nos)
         SELECT i, 1000000 + i, json_object('seq', 1000000 + i, 'id', 'w' || i, 'type', 'x', 'customer', NULL, 'at', 4000000000000, 'data', '{}'), ?
         FROM n`,
          JSON.stringify([full!.no]),
        );
      });
      await evictDurableObject(shards[at]!);
      const { eventId, endpoints } = await publish(directory, 1);
      expect(endpoints).toBe(17);
      await eventually("the other deliveries", async () => {
        const found = await directory.event(eventId);
        return found?.counts.delivered === 16 || undefined;
      });
      const query = { event: eventId, after: null, limit: 20 };
      const found = await directory.deliveries({ ...query, endpoint: full!.id });
      expect(found.deliveries).toMatchObject([{ status: "failed", attempts: [{ code: "BACKLOG_FULL" }] }]);
      const others = await directory.deliveries({ ...query, endpoint: other!.id });
      expect(others.deliveries).toMatchObject([{ status: "delivered" }]);
    },
  );
});

trial(
  "A delivery that had failed with BACKLOG_FULL keeps that attempt when it is sent once more",
  async () => {
    const { shards } = await openTenant(17);
    const known = await Promise.all(shards.map((shard) => shard.readEndpoints()));
    const at = known.findIndex(({ length }) => length === 2);
    const [full, other] = known[at]!;
    await runInDurableObject(shards[at]!, (_, { storage }) => {
      const store = new ShardStore(storage);
      const event = { seq: 7, id: "x", type: "x", customer: null, at: Date.now(), data: "{}" };
      for (let seq = 100; seq < 10_100; seq += 1) store.queue.add(full!.no, { seq, dueAt: 4e12 });
      store.take(event, [full!.no, other!.no], event.at);
      expect(store.queue.has({ no: full!.no, seq: 7 })).toBe(false);
      store.queue.clear(full!.no);
      expect(store.reopen(full!, [event], event.at)).toBe(1);
      expect(store.deliveryOf({ no: full!.no, seq: 7 }, event)).toMatchObject({
        status: "pending",
        attempts: [{ code: "BACKLOG_FULL" }],
      });
    });
  },
);

describe("Changes of one endpoint at the same time", () => {
  const asked = { id: "e0", settings: SETTINGS, secret: SECRET, enables: true };

  trial.each([["DELETE first", 0] as const, ["PUT first", 1] as const])(
    "leave an endpoint that the directory knows, or none: %s",
    async (_, first) => {
      const { directory, shards } = await openTenant(2);
      for (let times = 0; times < 5; times += 1) {
        const changes = [() => directory.remove("e0"), () => directory.put(asked)];
        await Promise.all([changes[first]!(), changes[1 - first]!()]);
        const isKnown = (await directory.get("e0")) !== null;
        const kept = await Promise.all(shards.map((shard) => shard.readEndpoints()));
        expect(kept.flat().filter(({ id }) => id === "e0")).toHaveLength(isKnown ? 1 : 0);
        if (!isKnown) await directory.put(asked);
      }
    },
  );

  trial(
    "F33 an endpoint that is made anew after a kill in the middle of its deletion is another one",
    async () => {
      const { directory, shards } = await openTenant(1);
      const { eventId } = await publish(directory, 1);
      await eventually("the delivery", async () => {
        const { deliveries } = await directory.deliveries({ event: eventId, after: null, limit: 1 });
        return deliveries[0]?.status === "delivered" || undefined;
      });
      const [old] = await shards[0]!.readEndpoints();
      // The object that had it has forgotten it, and the directory was killed before it could.
      await shards[0]!.remove("e0");
      expect(await directory.put(asked)).toMatchObject({ ok: true, value: { created: true } });
      const found = await directory.get("e0");
      expect(found!.endpoint.no).not.toBe(old!.no);
      const { deliveries } = await directory.deliveries({ event: eventId, after: null, limit: 10 });
      expect(deliveries.map(({ no }) => no)).toEqual([old!.no]);
      expect(await publish(directory, 2)).toMatchObject({ endpoints: 1 });
    },
  );
});

trial(
  "F29 the objects of the version before open: what waited is delivered, and what it had to tell is told",
  async () => {
    const { directory, shards, delivered } = await openTenant(1);
    const published = await publish(directory, 1);
    await delivered(published.eventId);
    await runInDurableObject(directory, (_, { storage }) => void storage.sql.exec("DROP INDEX of_run"));
    const watching = { ...SETTINGS, events: ["volley.*"] };
    await directory.put({ id: "watch", settings: watching, secret: SECRET, enables: true });
    const notice = {
      id: "endpoint-disabled-9-9",
      type: "volley.endpoint.disabled",
      about: "gone",
      data: "{}",
    };
    await runInDurableObject(shards[0]!, (_, { storage }) => {
      storage.sql.exec("INSERT INTO notices (id, json) VALUES (?, ?)", notice.id, JSON.stringify(notice));
      // An event that it had taken and not delivered.
      storage.sql.exec("DELETE FROM deliveries");
      const { slot, event, nos } = storage.sql
        .exec<{ slot: number; event: string; nos: string }>("SELECT slot, event, nos FROM batches")
        .one();
      expect([slot, nos]).toEqual([1, "[1]"]);
      expect(JSON.parse(event)).toMatchObject({ id: published.eventId });
    });
    for (const object of [directory, ...shards]) await evictDurableObject(object);
    await runInDurableObject(shards[0]!, (object) =>
      (object as unknown as { alarm(): Promise<void> }).alarm(),
    );
    await delivered(published.eventId);
    expect((await directory.events({ before: null, limit: 10 })).events).toMatchObject([
      { id: notice.id, type: notice.type },
      { id: published.eventId },
    ]);
  },
);
