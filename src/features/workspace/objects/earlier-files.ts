import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";

/** A file as it was before a write; both null where there was none. */
interface EarlierFile extends Record<string, SqlStorageValue> {
  readonly was: number | null;
  readonly content: ArrayBuffer | null;
  readonly is_back: number;
}

/** Files as they were before writes, by the version that a write made. */
export class EarlierFiles {
  readonly #sql: SqlStorage;
  /** Unknown until something is kept. */
  #bytes: number | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    // A version is no less than the time at which it was made. The content comes last: others are read without it.
    query(sql)`
      CREATE TABLE IF NOT EXISTS earlier (
         version INTEGER NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL, is_back INTEGER NOT NULL DEFAULT 0,
         bytes INTEGER NOT NULL, was INTEGER, content BLOB, PRIMARY KEY (version, path)
       ) WITHOUT ROWID, STRICT`;
  }

  /** The oldest version before which something is kept; null without one. */
  get oldest(): number | null {
    return this.#sql.exec<{ oldest: number | null }>("SELECT MIN(version) AS oldest FROM earlier").one()
      .oldest;
  }

  /** The version that a write with this key has made, where the file is still what it made of it; null else. */
  madeBy(key: string, path: string, content: Uint8Array): number | null {
    const [made] = query<{ version: number }>(this.#sql)`
      SELECT version FROM files JOIN earlier USING (path, version) WHERE path = ${path}
      AND key = ${key} AND files.content = ${content}`.toArray();
    return made?.version ?? null;
  }

  /** Keep a file as it is before a write makes a version of it. */
  keep(version: number, path: string, key: string): void {
    const [{ bytes }] = query<{ bytes: number }>(this.#sql)`
      REPLACE INTO earlier (version, path, key, bytes, was, content)
      SELECT ${version}, ${path}, ${key}, LENGTH(${path}) + IFNULL(files.bytes, 0), files.version,
      content FROM (SELECT 1) LEFT JOIN files ON path = ${path} RETURNING bytes`.toArray() as [
      { readonly bytes: number },
    ];
    this.#bytes =
      this.#bytes === null
        ? this.#sql.exec<{ bytes: number }>("SELECT SUM(bytes) AS bytes FROM earlier").one().bytes
        : this.#bytes + bytes;
    while (this.#bytes > LIMITS.workspaceEarlierBytes) this.forgetBefore(this.oldest! + 1);
  }

  find(path: string, version: number): EarlierFile | null {
    const [row] = query<EarlierFile>(this.#sql)`
      SELECT was, content, is_back FROM earlier WHERE version = ${version} AND path = ${path}`.toArray();
    return row ?? null;
  }

  /** Note that a file was put back: its content stands in the workspace again. */
  putBack(path: string, version: number): void {
    query(this.#sql)`
      UPDATE earlier SET is_back = 1, content = NULL WHERE version = ${version} AND path = ${path}`;
  }

  /** Forget what was there before versions that are lower than this. */
  forgetBefore(version: number): void {
    const gone = query<{ bytes: number }>(this.#sql)`
      DELETE FROM earlier WHERE version < ${version} RETURNING bytes`;
    for (const { bytes } of gone) if (this.#bytes !== null) this.#bytes -= bytes;
  }
}
