import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/*
 * What a killed runtime has left on disk of the tenants' objects: a database each, and one of the namespace's with their
 * alarms. Changed only while no runtime has them open.
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

/** Make the clocks of every object, and its alarm, so much older: as if nothing had run since. */
export async function ageClocks(storageDir: string, byMs: number): Promise<void> {
  const byNs = `${byMs} * ${NS_PER_MS}`;
  await alter(storageDir, (file) =>
    file === ALARMS
      ? `UPDATE _cf_ALARM SET scheduled_time = scheduled_time - ${byNs}`
      : `UPDATE clocks SET next_at = next_at - ${byMs};
         UPDATE _cf_METADATA SET value = value - ${byNs} WHERE typeof(value) = 'integer'`,
  );
}

async function alter(storageDir: string, sqlOf: (file: string) => string): Promise<void> {
  const directory = join(storageDir, NAMESPACE);
  const files = (await readdir(directory)).filter((file) => file.endsWith(".sqlite"));
  for (const file of files) {
    using database = new DatabaseSync(join(directory, file));
    database.exec(sqlOf(file));
  }
}
