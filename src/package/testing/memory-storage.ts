import type { Clock } from "../../core/kit/clock.ts";

type Value = ArrayBuffer | string | number | null;
type Row = Record<string, Value>;

/** As much of `node:sqlite` as is used. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Node 24 has these. */
  serialize?(): Uint8Array;
  deserialize?(bytes: Uint8Array): void;
}

interface Statement {
  all(...values: unknown[]): Row[];
}

interface Sqlite {
  readonly DatabaseSync: new (path: string) => Database;
}

/**
 * Create an object's storage in memory: SQLite in Node, as the platform's objects have it, and one alarm.
 *
 * @param onAlarm called when the alarm has come
 * @param bytes another's rows, to begin with
 */
export function createMemoryStorage(clock: Clock, onAlarm: () => void, bytes?: Uint8Array) {
  let opened: Database | undefined;
  const database = (): Database => (opened ??= openDatabase(bytes));
  const prepared = new Map<string, Statement>();
  let depth = 0;
  let alarmAt: number | null = null;
  let cancelAlarm = (): void => {};
  return {
    /** All rows, where no alarm waits and Node can tell them. */
    bytes: (): Uint8Array | undefined => (alarmAt === null ? opened?.serialize?.() : undefined),
    sql: {
      exec: (sql: string, ...values: unknown[]) => cursorOf(select(database(), prepared, sql, values)),
    },
    transactionSync<T>(work: () => T): T {
      const name = `level_${depth}`;
      depth += 1;
      let isDone = false;
      database().exec(`SAVEPOINT ${name}`);
      try {
        const value = work();
        isDone = true;
        return value;
      } finally {
        depth -= 1;
        if (!isDone) database().exec(`ROLLBACK TO ${name}`);
        database().exec(`RELEASE ${name}`);
      }
    },
    getAlarm: (): Promise<number | null> => Promise.resolve(alarmAt),
    setAlarm(at: number): Promise<void> {
      if (at <= 0) return Promise.reject(new TypeError(`Cannot set an alarm: the platform refuses ${at}`));
      cancelAlarm();
      alarmAt = at;
      cancelAlarm = clock.after(at - clock.now(), () => {
        alarmAt = null;
        onAlarm();
      });
      return Promise.resolve();
    },
    deleteAlarm(): Promise<void> {
      cancelAlarm();
      alarmAt = null;
      return Promise.resolve();
    },
  };
}

/** Rows that were read at once, as a cursor of the platform gives them. */
function cursorOf(rows: readonly Row[]) {
  return {
    [Symbol.iterator]: (): Iterator<Row> => rows.values(),
    toArray: (): Row[] => [...rows],
    one(): Row {
      const [row] = rows;
      if (row === undefined || rows.length > 1)
        throw new Error(`Cannot read one row: there are ${rows.length}`);
      return row;
    },
  };
}

function select(
  database: Database,
  prepared: Map<string, Statement>,
  sql: string,
  values: readonly unknown[],
): Row[] {
  // Several statements are for their effect only.
  if (values.length === 0 && /;\s*\S/.test(sql)) {
    database.exec(sql);
    return [];
  }
  const bound = values.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
  // Node takes numbered parameters for named ones.
  const numbered = /\?\d/.test(sql)
    ? [Object.fromEntries(bound.map((value, index) => [`?${index + 1}`, value]))]
    : bound;
  const statement = prepared.get(sql) ?? database.prepare(sql);
  prepared.set(sql, statement);
  return statement.all(...numbered);
}

/** Not imported by name: a bundler for another runtime need not know the module. */
function openDatabase(bytes: Uint8Array | undefined): Database {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  const sqlite = process?.getBuiltinModule?.("node:sqlite") as Sqlite | undefined;
  if (sqlite === undefined)
    throw new Error(
      "Cannot keep state in memory: 'volley/testing' needs Node 22.13 or newer, for node:sqlite",
    );
  const database = new sqlite.DatabaseSync(":memory:");
  if (bytes !== undefined) database.deserialize!(bytes);
  return database;
}
