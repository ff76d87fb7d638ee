import type {
  ChangeRefusal,
  FileChange,
  FileHead,
  FilesRead,
  WorkspaceFile,
  WorkspaceMethods,
} from "../../../feature/tool.ts";
import {
  DurableObject,
  type ObjectClass,
  query,
  refuseErased,
  systemClock,
} from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import { ByteTurns, type TurnLimits } from "../byte-turns.ts";
import { WorkspaceIndex, type WorkspaceLimits } from "../workspace-index.ts";
import { EarlierFiles } from "./earlier-files.ts";

type FileWrite = Parameters<WorkspaceMethods["write"]>[0];
type HeadRow = { path: string; version: number; bytes: number };
type FileRow = { path: string; version: number; content: ArrayBuffer };

const WORKSPACE_LIMITS: WorkspaceLimits = {
  files: LIMITS.workspaceFiles,
  bytes: LIMITS.workspaceBytes,
  fileBytes: LIMITS.workspaceFileBytes,
};

const TURN_LIMITS: TurnLimits = {
  bytes: LIMITS.workspaceUnderWayBytes,
  waitMs: LIMITS.workspaceWaitMs,
  turnMs: LIMITS.workspaceTurnMs,
  waiting: LIMITS.bytesWaiting,
};

/** A file at a path and everything under it. A slash is followed by `0`, so a range of the primary key holds the latter. */
const UNDER = "WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0')";

/** Make the Durable Object class that holds one tenant's files. */
export function createWorkspace(
  limits: WorkspaceLimits = WORKSPACE_LIMITS,
  turns: TurnLimits = TURN_LIMITS,
): ObjectClass<WorkspaceMethods> {
  /**
   * One tenant's workspace: a row for each file. A change is one synchronous turn, its writes are one transaction, and the platform holds
   * its answer until they are durable. `workspace-index` decides which changes are allowed, `byte-turns` when much may be sent.
   */
  class Workspace extends DurableObject<Record<string, unknown>> implements WorkspaceMethods {
    readonly #index: WorkspaceIndex;
    readonly #turns = new ByteTurns(turns, systemClock);
    readonly #earlier: EarlierFiles;
    readonly #keptMs: number;
    #hasAlarm = false;

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      // The content comes last: a cold start reads the other columns without it.
      query(ctx.storage.sql)`
        CREATE TABLE IF NOT EXISTS files (
           path TEXT PRIMARY KEY, version INTEGER NOT NULL, bytes INTEGER NOT NULL, content BLOB NOT NULL
         ) WITHOUT ROWID, STRICT`;
      this.#index = new WorkspaceIndex(this.heads(""));
      this.#earlier = new EarlierFiles(ctx.storage.sql);
      const days = Number(env["VOLLEY_RUNS_DAYS"]) || LIMITS.workspaceEarlierDays;
      this.#keptMs = days * 86_400_000;
    }

    heads(under: string, most = limits.files): FileHead[] {
      return this.#select<HeadRow>("path, version, bytes", under, most).toArray();
    }

    async read(path: string, mostBytes: number): Promise<FilesRead> {
      for (;;) {
        const bytes = this.#index.bytesAt(path);
        if (bytes > mostBytes) return { bytes };
        if (bytes <= LIMITS.workspaceFirstBytes) return { files: this.#readAll(path) };
        const turn = await this.#turns.begin(bytes);
        if (turn === null) return { busy: true };
        // Others may have written meanwhile.
        if (this.#index.bytesAt(path) <= bytes) return { files: this.#readAll(path), turn };
        this.#turns.end(turn);
      }
    }

    enter(bytes: number): Promise<number | null> {
      return this.#turns.begin(bytes);
    }

    leave(turn: number): void {
      this.#turns.end(turn);
    }

    change(changes: readonly FileChange[], turn?: number): ChangeRefusal | null {
      if (turn !== undefined) this.#turns.end(turn);
      const refused = this.#index.check(changes, limits);
      if (refused === null) this.#make(changes, this.#index.nextVersion(Date.now()));
      return refused;
    }

    write({ key, ...change }: FileWrite, turn?: number): ChangeRefusal | { readonly version: number } {
      if (turn !== undefined) this.#turns.end(turn);
      const { path, content } = change;
      const made = this.#earlier.madeBy(key, path, content);
      if (made !== null) return { version: made };
      const refused = this.#index.check([change], limits);
      if (refused !== null) return refused;
      const version = this.#index.nextVersion(Date.now());
      this.#make([change], version, () => this.#earlier.keep(version, path, key));
      this.#keepAlarm();
      return { version };
    }

    restore(path: string, version: number): ChangeRefusal | { readonly reason: "forgotten" } | null {
      const earlier = this.#earlier.find(path, version);
      if (earlier === null) return { reason: "forgotten" };
      if (earlier.is_back === 1) return null;
      const { was, content } = earlier;
      const change = { path, content: content && new Uint8Array(content), base: version };
      const refused = this.#index.check([change], limits);
      if (refused === null) this.#make([change], was ?? version, () => this.#earlier.putBack(path, version));
      return refused;
    }

    erase(): number {
      const files = this.heads("");
      if (files.length > 0) this.change(files.map(({ path }) => ({ path, content: null })));
      this.#earlier.forgetBefore(Number.MAX_SAFE_INTEGER);
      return files.length;
    }

    override async alarm(): Promise<void> {
      this.#earlier.forgetBefore(systemClock.now() - this.#keptMs);
      this.#hasAlarm = false;
      this.#keepAlarm();
    }

    /** Have an alarm for what is to be forgotten next. */
    #keepAlarm(): void {
      const { oldest } = this.#earlier;
      if (this.#hasAlarm || oldest === null) return;
      this.#hasAlarm = true;
      void this.ctx.storage.setAlarm(oldest + this.#keptMs);
    }

    /** Make changes that were checked; the versions of their files are this one from now on. */
    #make(changes: readonly FileChange[], version: number, also: () => void = () => {}): void {
      const { sql } = this.ctx.storage;
      this.ctx.storage.transactionSync(() => {
        also();
        for (const { path, content } of changes) {
          if (content === null) query(sql)`DELETE FROM files WHERE path = ${path}`;
          else
            query(sql)`
              REPLACE INTO files (path, version, bytes, content)
              VALUES (${path}, ${version}, ${content.length}, ${content})`;
        }
      });
      this.#index.apply(changes, version);
    }

    #readAll(path: string): WorkspaceFile[] {
      const rows = this.#select<FileRow>("path, version, content", path, limits.files);
      return Array.from(rows, ({ content, ...file }) => ({ ...file, content: new Uint8Array(content) }));
    }

    #select<Row extends Record<string, SqlStorageValue>>(columns: string, under: string, most: number) {
      const where = under === "" ? [] : [under];
      return this.ctx.storage.sql.exec<Row>(
        `SELECT ${columns} FROM files ${where.length === 0 ? "" : UNDER} ORDER BY path LIMIT ${most}`,
        ...where,
      );
    }
  }
  return refuseErased<WorkspaceMethods>(Workspace, systemClock);
}
