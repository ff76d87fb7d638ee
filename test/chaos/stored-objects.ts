import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/*
 * The files of the tenants' objects that a killed runtime has left on disk: a database each, and one of the namespace's with
 * their alarms. Changed only while no runtime has them open.
 */

const NAMESPACE = "TenantGate";
const ALARMS = "metadata.sqlite";
const NS_PER_MS = 1_000_000;

/** Take every object's alarm away. Rejects when there is none. */
export async function forgetAlarms(storageDir: string): Promise<void> {
  const database = join(storageDir, NAMESPACE, ALARMS);
  await rm(database);
  for (const suffix of ["-wal", "-shm"]) await rm(database + suffix, { force: true });
}

/** Empty a table of every object. */
export async function forgetRows(storageDir: string, table: string): Promise<void> {
  await alter(storageDir, (file) => (file === ALARMS ? "" : `DELETE FROM ${table}`));
}

/** Make the clocks of every object, the leases of its jobs and its alarm so much older: as if nothing had run since. */
export async function ageClocks(storageDir: string, byMs: number): Promise<void> {
  const byNs = `${byMs} * ${NS_PER_MS}`;
  await alter(storageDir, (file) =>
    file === ALARMS
      ? `UPDATE _cf_ALARM SET scheduled_time = scheduled_time - ${byNs}`
      : `UPDATE clocks SET next_at = next_at - ${byMs};
         UPDATE jobs SET due_at = due_at - ${byMs};
         UPDATE _cf_METADATA SET value = value - ${byNs} WHERE typeof(value) = 'integer'`,
  );
}

/** The files on disk of one object, and when it is to be woken. */
export interface StoredObject {
  /** Namespace and file. */
  readonly name: string;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly bytes: number;
  /** Its alarm, in milliseconds since the epoch; null when it has none. */
  readonly alarmAt: number | null;
  /** When the first thing is due of those that an alarm is for; null when nothing is. */
  readonly dueAt: number | null;
}

/**
 * Look at every object of every namespace, also while a runtime has them open: a reader of SQLite's log blocks no writer. An
 * object that goes or comes meanwhile is left out.
 */
export async function readObjects(storageDir: string): Promise<StoredObject[]> {
  const namespaces = await readdir(storageDir);
  const objects = await Promise.all(namespaces.map((name) => readNamespace(join(storageDir, name), name)));
  return objects.flat();
}

async function readNamespace(directory: string, namespace: string): Promise<StoredObject[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith(".sqlite"));
  const alarms = files.includes(ALARMS) ? readAlarms(join(directory, ALARMS)) : new Map<string, number>();
  return files.flatMap((file) => {
    if (file === ALARMS) return [];
    const id = file.slice(0, -".sqlite".length);
    const found = attempt(() => readObject(join(directory, file)));
    return found === null ? [] : [{ name: `${namespace} ${id}`, alarmAt: alarms.get(id) ?? null, ...found }];
  });
}

function readAlarms(path: string): Map<string, number> {
  const rows = attempt(() => {
    using database = new DatabaseSync(path, { readOnly: true });
    const query = database.prepare("SELECT actor_id AS id, scheduled_time AS ns FROM _cf_ALARM");
    query.setReadBigInts(true);
    return query.all() as unknown as { id: string; ns: bigint }[];
  });
  // Not there before the first alarm.
  return new Map(rows?.map(({ id, ns }) => [id, Number(ns / BigInt(NS_PER_MS))]));
}

/** The tables that an alarm is for, and what says when. */
const DUE: Readonly<Record<string, string>> = { jobs: "due_at", clocks: "next_at", events: "due_at" };

function readObject(path: string): Pick<StoredObject, "rows" | "bytes" | "dueAt"> {
  using database = new DatabaseSync(path, { readOnly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
    .all() as unknown as { name: string }[];
  const one = (sql: string): number | null =>
    Object.values(database.prepare(sql).get() ?? {})[0] as number | null;
  const rows = tables.map(({ name }) => [name, one(`SELECT COUNT(*) FROM "${name}"`) ?? 0] as const);
  const due = tables.flatMap(({ name }) =>
    name in DUE ? [one(`SELECT MIN(${DUE[name]}) FROM ${name}`)].filter((at) => at !== null) : [],
  );
  const bytes = (one("PRAGMA page_count") ?? 0) * (one("PRAGMA page_size") ?? 0);
  return { rows: Object.fromEntries(rows), bytes, dueAt: due.length === 0 ? null : Math.min(...due) };
}

/** Read the rows of a query from every tenant's object that has its table, also while a runtime has them open. */
export async function readRows<Row>(storageDir: string, sql: string): Promise<Row[]> {
  const directory = join(storageDir, NAMESPACE);
  const files = (await readdir(directory)).filter((file) => file.endsWith(".sqlite") && file !== ALARMS);
  return files.flatMap((file) => {
    const rows = attempt(() => {
      using database = new DatabaseSync(join(directory, file), { readOnly: true });
      return database.prepare(sql).all() as unknown as Row[];
    });
    return rows ?? [];
  });
}

/** The result of a read; null when the file is being made, or is gone. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

async function alter(storageDir: string, sqlOf: (file: string) => string): Promise<void> {
  const directory = join(storageDir, NAMESPACE);
  const files = (await readdir(directory)).filter((file) => file.endsWith(".sqlite"));
  for (const file of files) {
    using database = new DatabaseSync(join(directory, file));
    database.exec(sqlOf(file));
  }
}
