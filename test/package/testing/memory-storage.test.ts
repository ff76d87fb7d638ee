import { expect, test } from "vitest";

import { createMemoryStorage } from "../../../src/package/testing/memory-storage.ts";
import { VirtualClock } from "../../../src/package/testing/virtual-clock.ts";

function storageOf() {
  const clock = new VirtualClock(1_000);
  const alarms: number[] = [];
  const storage = createMemoryStorage(clock, () => void alarms.push(clock.now()));
  storage.sql.exec("CREATE TABLE things (id TEXT, n INTEGER); CREATE TABLE others (id TEXT);");
  const put = (id: string, n: number) => storage.sql.exec("INSERT INTO things VALUES (?, ?)", id, n);
  const all = () =>
    storage.sql
      .exec("SELECT n FROM things ORDER BY n")
      .toArray()
      .map(({ n }) => n);
  return { clock, alarms, storage, put, all };
}

test("a statement is given its values, numbered or in order, and gives its rows", () => {
  const { storage, put, all } = storageOf();
  put("a", 1);
  storage.sql.exec("INSERT INTO things VALUES (?1, ?2 + ?2)", "b", 2);
  expect(all()).toEqual([1, 4]);
  expect([...storage.sql.exec("SELECT id FROM things WHERE n > ?", 1)]).toEqual([{ id: "b" }]);
  expect(storage.sql.exec("SELECT id FROM things WHERE n = ?1", 1).one()).toEqual({ id: "a" });
  const bytes = new Uint8Array([1, 2]).buffer;
  expect(storage.sql.exec("SELECT length(?) AS n", bytes).one()).toEqual({ n: 2 });
});

test("one row is one: neither none nor several", () => {
  const { storage, put } = storageOf();
  expect(() => storage.sql.exec("SELECT n FROM things").one()).toThrow("Cannot read one row: there are 0");
  put("a", 1);
  put("b", 2);
  expect(() => storage.sql.exec("SELECT n FROM things").one()).toThrow("Cannot read one row: there are 2");
});

test("a transaction that throws leaves nothing behind, those inside of another as well", () => {
  const { storage, put, all } = storageOf();
  const fail = (n: number) => () => {
    put("x", n);
    throw new Error("No");
  };
  expect(() => storage.transactionSync(fail(1))).toThrow("No");
  expect(all()).toEqual([]);
  const value = storage.transactionSync(() => {
    put("a", 2);
    expect(() => storage.transactionSync(fail(3))).toThrow("No");
    storage.transactionSync(() => put("b", 4));
    return "done";
  });
  expect([value, all()]).toEqual(["done", [2, 4]]);
  const outer = () => {
    storage.transactionSync(() => put("c", 5));
    throw new Error("No");
  };
  expect(() => storage.transactionSync(outer)).toThrow("No");
  expect(all()).toEqual([2, 4]);
});

test("an alarm at 0 is refused as the platform does, and the one that is set stays", async () => {
  const { storage } = storageOf();
  await storage.setAlarm(1_500);
  await expect(storage.setAlarm(0)).rejects.toThrow("the platform refuses 0");
  expect(await storage.getAlarm()).toBe(1_500);
});

test("an object has one alarm, the one that was set last; it is over when it has come or was taken back", async () => {
  const { clock, alarms, storage } = storageOf();
  expect(await storage.getAlarm()).toBeNull();
  await storage.setAlarm(1_500);
  await storage.setAlarm(1_200);
  expect([await storage.getAlarm(), clock.pending]).toEqual([1_200, 1]);
  await clock.advance(1_000);
  expect([alarms, await storage.getAlarm()]).toEqual([[1_200], null]);
  await storage.setAlarm(2_500);
  await storage.deleteAlarm();
  expect([await storage.getAlarm(), clock.pending]).toEqual([null, 0]);
  await clock.advance(1_000);
  expect(alarms).toEqual([1_200]);
});
