type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

interface Tables {
  readonly quota: Map<string, Row>;
  readonly jobs: Map<string, Row>;
  readonly run_causes: Map<string, Row>;
  readonly run_steps: Map<string, Row>;
  readonly idempotency: Map<string, Row>;
}

/** The answer of a statement, and how many rows it wrote. */
interface Done {
  readonly rows?: readonly Row[];
  readonly written?: number;
}

type Statement = (tables: Tables, args: readonly Value[]) => Done;

/**
 * The storage of one object, as much of it as its tables use, that counts the rows they write: the tables' own statements run
 * on maps instead of SQLite, because ten thousand databases do not fit into one process. No index covers any of these tables, so
 * a row that is inserted, replaced or deleted is one row written; `test/cloudflare/scale-rows.test.ts` holds every count to SQLite's.
 * A statement that is not known here throws.
 */
export class CountedStorage {
  rowsWritten = 0;
  readonly #tables: Tables = {
    quota: new Map(),
    jobs: new Map(),
    run_causes: new Map(),
    run_steps: new Map(),
    idempotency: new Map(),
  };
  readonly #onAlarm: (atMs: number) => void;

  constructor(onAlarm: (atMs: number) => void = () => {}) {
    this.#onAlarm = onAlarm;
  }

  readonly sql = {
    exec: (query: string, ...args: Value[]) => {
      const { rows = [], written = 0 } = toStatement(query)(this.#tables, args);
      this.rowsWritten += written;
      return {
        toArray: () => rows,
        one: () => rows[0],
        [Symbol.iterator]: () => rows[Symbol.iterator](),
        rowsWritten: written,
      };
    },
  };

  transactionSync<T>(work: () => T): T {
    return work();
  }

  /** Billed as a row written. */
  setAlarm(atMs: number): Promise<void> {
    this.rowsWritten += 1;
    this.#onAlarm(atMs);
    return Promise.resolve();
  }

  /** As what the tables take. */
  asStorage(): DurableObjectStorage {
    return this as unknown as DurableObjectStorage;
  }
}

const known = new Map<string, Statement>();

function toStatement(query: string): Statement {
  let statement = known.get(query);
  if (statement === undefined)
    known.set(query, (statement = readStatement(query.replace(/\s+/gu, " ").trim())));
  return statement;
}

function readStatement(query: string): Statement {
  const fixed = FIXED[query];
  if (fixed !== undefined) return fixed;
  const [, kind, table = "", columns, rest] = WRITE.exec(query) ?? [];
  if (columns === undefined || !(table in KEYS))
    throw new Error(`Cannot simulate a statement that is not known: ${query}`);
  return write(table as keyof Tables, columns.split(", "), kind === "INSERT" && rest!.includes("DO NOTHING"));
}

const WRITE = /^(INSERT|REPLACE) INTO (\w+) \(([^)]+)\) VALUES \([^)]+\)(.*)$/u;

const KEYS: Readonly<Record<keyof Tables, readonly string[]>> = {
  quota: ["bucket"],
  jobs: ["id"],
  run_causes: ["flow", "cause"],
  run_steps: ["job_id", "step_id"],
  idempotency: ["key"],
};

function write(table: keyof Tables, columns: readonly string[], keepsOld: boolean): Statement {
  const keyAt = KEYS[table].map((column) => columns.indexOf(column));
  return (tables, args) => {
    const key = keyAt.map((at) => args[at]).join("\0");
    if (keepsOld && tables[table].has(key)) return {};
    const row: Record<string, Value> = {};
    for (const [at, column] of columns.entries()) row[column] = args[at]!;
    tables[table].set(key, row);
    return { rows: [row], written: 1 };
  };
}

function find(table: keyof Tables): Statement {
  return (tables, args) => {
    const row = tables[table].get(args.slice(0, KEYS[table].length).join("\0"));
    return { rows: row === undefined ? [] : [row] };
  };
}

function drop(
  table: keyof Tables,
  which: (row: Row, args: readonly Value[]) => boolean,
  most?: number,
): Statement {
  return (tables, args) => {
    const gone: Row[] = [];
    for (const [key, row] of tables[table]) {
      if (gone.length >= (most === undefined ? Number.POSITIVE_INFINITY : Number(args[most]))) break;
      if (!which(row, args)) continue;
      tables[table].delete(key);
      gone.push(row);
    }
    return { rows: gone, written: gone.length };
  };
}

const isOver = ({ status }: Row): boolean => status !== "running" && status !== "retrying";

/** In the order of their last change, as the statement removes them. */
const removeJobs: Statement = ({ jobs }, [before, most]) => {
  const over = [...jobs.values()].filter((row) => isOver(row) && Number(row["updated_at"]) < Number(before));
  over.sort((a, b) => Number(a["updated_at"]) - Number(b["updated_at"]));
  const gone = over.slice(0, Number(most));
  for (const { id } of gone) jobs.delete(String(id));
  return { rows: gone, written: gone.length };
};

const IS_FINAL = "(status NOT IN ('running', 'retrying'))";

const FIXED: Readonly<Record<string, Statement>> = {
  "SELECT bucket, mark FROM quota": ({ quota }) => ({ rows: [...quota.values()] }),
  "DELETE FROM quota WHERE bucket = ?": drop("quota", ({ bucket }, [name]) => bucket === name),
  "SELECT 1 FROM jobs WHERE id = ?": find("jobs"),
  "SELECT status, fence FROM jobs WHERE id = ?": find("jobs"),
  "SELECT * FROM jobs WHERE id = ?": find("jobs"),
  "SELECT id, due_at, updated_at, format, status, tool, kind, fence FROM jobs": ({ jobs }) => ({
    rows: [...jobs.values()],
  }),
  [`DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE ${IS_FINAL} AND updated_at < ? ORDER BY updated_at LIMIT ?+0) RETURNING id, tool, format, status`]:
    removeJobs,
  "DELETE FROM run_steps WHERE job_id IN (SELECT value FROM json_each(?))": drop(
    "run_steps",
    ({ job_id: id }, [ids]) => (JSON.parse(String(ids)) as Value[]).includes(id!),
  ),
  [`SELECT MIN(updated_at) AS oldest FROM jobs WHERE ${IS_FINAL}`]: ({ jobs }) => {
    let oldest: number | null = null;
    for (const row of jobs.values())
      if (isOver(row)) oldest = Math.min(oldest ?? Number.POSITIVE_INFINITY, Number(row["updated_at"]));
    return { rows: [{ oldest }] };
  },
  "SELECT COUNT(*) AS count FROM run_causes": ({ run_causes: { size } }) => ({ rows: [{ count: size }] }),
  "SELECT job_id FROM run_causes WHERE flow = ? AND cause = ? AND expires_at > ?": (tables, args) => {
    const { rows = [] } = find("run_causes")(tables, args);
    return { rows: rows.filter((row) => Number(row["expires_at"]) > Number(args[2])) };
  },
  "DELETE FROM run_causes WHERE (flow, cause) IN (SELECT flow, cause FROM run_causes WHERE expires_at <= ? LIMIT ?+0) RETURNING 1":
    drop("run_causes", (row, [now]) => Number(row["expires_at"]) <= Number(now), 1),
  "SELECT step_id, outcome_json FROM run_steps WHERE job_id = ?": ({ run_steps: steps }, [id]) => ({
    rows: [...steps.values()].filter((row) => row["job_id"] === id),
  }),
  "DELETE FROM run_steps WHERE job_id = ?": drop("run_steps", (row, [id]) => row["job_id"] === id),
  "SELECT * FROM idempotency WHERE key = ?": find("idempotency"),
  "DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency WHERE expires_at <= ? LIMIT ?+0)": drop(
    "idempotency",
    (row, [now]) => Number(row["expires_at"]) <= Number(now),
    1,
  ),
  "SELECT COUNT(*) AS count, SUM(bytes) AS bytes, MIN(expires_at) AS first FROM idempotency": ({
    idempotency,
  }) => {
    let [bytes, first]: (number | null)[] = [null, null];
    for (const row of idempotency.values()) {
      bytes = (bytes ?? 0) + Number(row["bytes"]);
      first = Math.min(first ?? Number.POSITIVE_INFINITY, Number(row["expires_at"]));
    }
    return { rows: [{ count: idempotency.size, bytes: bytes!, first: first! }] };
  },
};
