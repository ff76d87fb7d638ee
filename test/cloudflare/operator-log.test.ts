import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import type { CountedTenant } from "../../src/features/operator/operator.ts";
import { trial } from "../support/trial.ts";

let logs = 0;
const open = () => env.OPERATOR.getByName(`log ${(logs += 1)}`);
const countedOf = (tenant: string, runs = 1, errors = 0): CountedTenant => ({
  row: [tenant, runs, runs, errors, 0, [10, runs]],
  tools: [["echo", runs, errors, [10, runs]]],
});
const DAY = { hours: 24, limit: 100 };
const rowsOf = (log: ReturnType<typeof open>): Promise<number> =>
  runInDurableObject(log, (_, { storage }) =>
    Number(storage.sql.exec("SELECT COUNT(*) AS count FROM hours").one()["count"]),
  );

describe("The object that counts for the operator", () => {
  test("keeps what is written down through a crash, and loses at most what came since", async () => {
    let log = open();
    // The first report is written at once.
    await log.report([countedOf("acme", 3, 1)]);
    await log.report([countedOf("acme", 4)]);
    expect((await log.overview(DAY)).tenants).toMatchObject([{ row: ["acme", 7, 7, 1, 0, [10, 7]] }]);
    await abortAllDurableObjects();
    log = env.OPERATOR.getByName(`log ${logs}`);
    expect((await log.overview(DAY)).tenants).toMatchObject([{ row: ["acme", 3, 3, 1, 0, [10, 3]] }]);
    await log.report([countedOf("acme", 4)]);
    expect((await log.overview(DAY)).tenants).toMatchObject([
      { row: ["acme", 7, 7, 1, 0, [10, 7]], tools: [["echo", 7, 1, [10, 7]]] },
    ]);
  });

  test("writes down by its alarm what no later report does", async () => {
    const log = open();
    await log.report([countedOf("acme")]);
    await log.report([countedOf("acme", 9)]);
    // The platform may have run it already.
    await runDurableObjectAlarm(log);
    await evictDurableObject(log);
    expect((await log.overview(DAY)).tenants).toMatchObject([{ row: ["acme", 10, 10, 0, 0, [10, 10]] }]);
  });

  trial("has a row for a part of an hour, however many reports and tenants there were", async () => {
    const log = open();
    const tenants = Array.from({ length: 2_000 }, (_, at) => countedOf(`tenant-${at}`));
    for (let at = 0; at < 5; at += 1) await log.report(tenants);
    await runDurableObjectAlarm(log);
    expect(await rowsOf(log)).toBe(64);
    const { tenants: seen, more } = await log.overview({ hours: 1, limit: 30 });
    expect(seen).toHaveLength(30);
    expect(more).toBe(1_970);
    expect(seen.every(({ row }) => row[1] === 5)).toBe(true);
  });

  test("adds up what the objects of a tenant told, and forgets what was taken back", async () => {
    const log = open();
    const told = { tenant: "acme", waiting: 0 };
    await log.tell({ ...told, object: "acme", dead: { TIMEOUT: 2 }, waiting: 3 });
    await log.tell({ ...told, object: "acme\0outbox\u00001", dead: { TIMEOUT: 1, UPSTREAM_ERROR: 5 } });
    await evictDurableObject(log);
    expect((await log.overview(DAY)).tenants).toMatchObject([
      { dead: { TIMEOUT: 3, UPSTREAM_ERROR: 5 }, waiting: 3 },
    ]);
    await log.tell({ ...told, object: "acme", dead: {} });
    expect((await log.overview(DAY)).tenants).toMatchObject([{ dead: { TIMEOUT: 1 }, waiting: 0 }]);
  });

  trial("T03 forgets a tenant in every hour and part, and none whose name begins as its", async () => {
    const log = open();
    await log.report([countedOf("acme"), countedOf("acme-2"), countedOf("acme2")]);
    await log.tell({ object: "acme", tenant: "acme", dead: { TIMEOUT: 1 }, waiting: 0 });
    expect(await log.read("acme")).toHaveLength(1);
    expect(await log.erase("acme")).toBe(1);
    await log.report([countedOf("acme")]);
    const names = (await log.overview(DAY)).tenants.map(({ row }) => row[0]);
    expect(new Set(names)).toEqual(new Set(["acme-2", "acme2"]));
    expect(await log.read("acme")).toEqual([]);
    expect(await log.erase("acme")).toBe(0);
  });

  test("F37 counts nothing that began before its tenant was deleted, however long it goes on, after a restart too", async () => {
    const log = open();
    const begunAt = Date.now() - 1;
    await log.erase("acme");
    const names = async () => (await log.overview(DAY)).tenants.map(({ row }) => row[0]);
    for (const restart of [false, true]) {
      if (restart) await evictDurableObject(log);
      await log.report([
        { ...countedOf("acme"), begunAt },
        { ...countedOf("acme-2"), begunAt },
      ]);
      expect(await names()).toEqual(["acme-2"]);
    }
    await log.report([{ ...countedOf("acme"), begunAt: Date.now() + 1_000 }]);
    expect(new Set(await names())).toEqual(new Set(["acme", "acme-2"]));
  });
});
