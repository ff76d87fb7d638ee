import type { Miniflare as Running } from "miniflare";

import { fillDatabase } from "../sandbox/fill-database.ts";
import { readSandboxSql } from "./sandbox-sql.ts";

/** The bindings of the tools that keep data: a real D1 database and a real R2 bucket, in Miniflare. */
export interface DataBindings {
  readonly bindings: Readonly<Record<string, unknown>>;
  readonly bucket: Bucket;
  readonly database: Database;
}

/** The methods of the bucket that a test uses. */
interface Bucket {
  get(key: string): Promise<{
    readonly httpMetadata?: { readonly contentType?: string };
    text(): Promise<string>;
    arrayBuffer(): Promise<ArrayBuffer>;
  } | null>;
  list(): Promise<{ readonly objects: readonly { readonly key: string }[] }>;
}

/** The methods of the database that a test uses. */
interface Database {
  prepare(sql: string): Statement;
  batch(statements: Statement[]): Promise<unknown>;
}

interface Statement {
  bind(...values: unknown[]): Statement;
  first(): Promise<unknown>;
  all(): Promise<{ readonly results: readonly Readonly<Record<string, unknown>>[] }>;
}

interface StartOptions {
  /** Leave the database without any table. */
  readonly unmigrated?: boolean;
}

/** How many databases and buckets a Miniflare has: to start one takes a second of a processor, a database of its own next to nothing. */
const SHARED = 8;

let started: Running | undefined;
let taken = 0;

/**
 * Start them: the bucket empty, the database with what the sandbox's tenants keep. Each call gets a bucket and a database that no other has; they
 * go with the process, as Miniflare does.
 */
export async function startDataBindings({ unmigrated = false }: StartOptions = {}): Promise<DataBindings> {
  const at = taken % SHARED;
  taken += 1;
  const miniflare = at === 0 || started === undefined ? (started = await startMiniflare()) : started;
  const bucket = (await miniflare.getR2Bucket(`OBJECTS_${at}`)) as unknown as Bucket;
  const database = (await miniflare.getD1Database(`DATA_${at}`)) as unknown as Database;
  if (!unmigrated) await fillDatabase(database, await readSandboxSql());
  return { bindings: { OBJECTS: bucket, DATA: database }, bucket, database };
}

async function startMiniflare(): Promise<Running> {
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import("miniflare");
  const names = (prefix: string): string[] => Array.from({ length: SHARED }, (_, at) => `${prefix}_${at}`);
  return new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      r2Buckets: names("OBJECTS"),
      d1Databases: names("DATA"),
      compatibilityDate: "2026-10-23",
      log: new Log(LogLevel.NONE),
      cf: false,
      telemetry: { enabled: false },
    }),
  );
}
