import { runInDurableObject } from "cloudflare:test";

/** Count rows read by SQL, from now until the object is evicted. */
export async function countReads<T extends Rpc.DurableObjectBranded>(
  stub: DurableObjectStub<T>,
): Promise<() => Promise<number>> {
  const cursors: { readonly rowsRead: number }[] = [];
  await runInDurableObject(stub, (_gate, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    storage.sql.exec = ((...args: Parameters<typeof exec>) => {
      const cursor = exec(...args);
      cursors.push(cursor);
      return cursor;
    }) as typeof exec;
  });
  return () => runInDurableObject(stub, () => cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0));
}

/** Count rows written by SQL and by `setAlarm`, which is billed as one, from now until the object is evicted. */
export async function countRows<T extends Rpc.DurableObjectBranded>(
  stub: DurableObjectStub<T>,
): Promise<() => Promise<number>> {
  const written: (() => number)[] = [];
  await runInDurableObject(stub, (_gate, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    storage.sql.exec = ((...args: Parameters<typeof exec>) => {
      const cursor = exec(...args);
      written.push(() => cursor.rowsWritten);
      return cursor;
    }) as typeof exec;
    const setAlarm = storage.setAlarm.bind(storage);
    storage.setAlarm = (...args) => {
      written.push(() => 1);
      return setAlarm(...args);
    };
  });
  return () => runInDurableObject(stub, () => written.reduce((sum, rows) => sum + rows(), 0));
}
