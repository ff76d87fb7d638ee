/** Ten seconds: the leases still run, and all pauses but one are over. */
const OPENED_AFTER_MS = 10_000;

/** The columns that hold a time: the rows are as old in every test, whenever it runs. */
export const TENANT_TIMES = {
  confirmations: ["created_at", "expires_at"],
  gone_endpoints: ["until"],
  idempotency: ["expires_at", "lease_ends_at"],
  jobs: ["due_at", "updated_at", "created_at"],
  quota: ["mark"],
  results: ["kept_at"],
};

/** The same of the version with features' tables. */
export const FEATURE_TIMES = {
  clocks: ["next_at"],
  confirmations: ["created_at", "expires_at"],
  idempotency: ["expires_at", "lease_ends_at"],
  jobs: ["due_at", "updated_at", "created_at"],
  questions: ["kept_at"],
  quota: ["mark"],
  results: ["kept_at"],
  run_causes: ["expires_at"],
  turns: ["kept_at"],
};

/** Replace what an object has stored. The next call opens it. */
export async function replaceStorage(
  storage: DurableObjectStorage,
  dump: string,
  times: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  await storage.deleteAll();
  storage.sql.exec(dump);
  const [, writtenAt] = /had in storage at (\d+)/.exec(dump)!;
  const shiftMs = Date.now() - Number(writtenAt) - OPENED_AFTER_MS;
  for (const [table, columns] of Object.entries(times))
    for (const column of columns) storage.sql.exec(`UPDATE ${table} SET ${column} = ${column} + ?`, shiftMs);
}
