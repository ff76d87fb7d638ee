import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { readObjects } from "../../test/chaos/stored-objects.ts";

test("readObjects() reads rows, the alarm and what is due of every object, also while it is open", async () => {
  const directory = await mkdtemp(join(tmpdir(), "volley-objects-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const gates = join(directory, "TenantGate");
  await mkdir(gates);
  using alarms = new DatabaseSync(join(gates, "metadata.sqlite"));
  alarms.exec(
    "PRAGMA journal_mode=WAL; CREATE TABLE _cf_ALARM (actor_id TEXT PRIMARY KEY, scheduled_time INTEGER); INSERT INTO _cf_ALARM VALUES ('busy', 1790000000000000000)",
  );
  using busy = new DatabaseSync(join(gates, "busy.sqlite"));
  busy.exec(
    "PRAGMA journal_mode=WAL; CREATE TABLE jobs (id TEXT, due_at INTEGER); CREATE TABLE _cf_KV (key TEXT); CREATE TABLE quota (bucket TEXT)",
  );
  busy.exec("INSERT INTO jobs VALUES ('a', NULL), ('b', 1790000000500), ('c', 1790000000900)");
  using idle = new DatabaseSync(join(gates, "idle.sqlite"));
  idle.exec("CREATE TABLE jobs (id TEXT, due_at INTEGER)");
  await writeFile(join(gates, "broken.sqlite"), "this is no database, and nothing to be said of it");

  expect(await readObjects(directory)).toMatchObject([
    {
      name: "TenantGate busy",
      rows: { jobs: 3, quota: 0 },
      alarmAt: 1_790_000_000_000,
      dueAt: 1_790_000_000_500,
    },
    { name: "TenantGate idle", rows: { jobs: 0 }, alarmAt: null, dueAt: null },
  ]);
});
