import * as LIMITS from "../limits.ts";
import { DurableObject, type ObjectClass, query, systemClock } from "../../../feature/object.ts";
import type { Clock } from "../../../feature/kit.ts";
import { partOfTenant, readHeads, readHour, readTools, toHourText } from "../hour-text.ts";
import type {
  CountedTenant,
  DeadJobs,
  OperatorLogMethods,
  OverviewQuery,
  SeenTenant,
  Standing,
  TenantHour,
  TenantRow,
  ToolRow,
} from "../operator.ts";
import { OverviewSum, sumTools } from "../make-overview.ts";
import { TallyBook } from "../tally-book.ts";

type Row = { id: number; heads: string; tools: string };
type StandingRow = { object: string; tenant: string; at: number; dead: string; waiting: number };

const HOUR_MS = 3_600_000;
const PARTS = LIMITS.operatorParts;
const BOUNDS = {
  tenants: LIMITS.operatorPartTenants,
  tools: LIMITS.operatorPartTools,
  tenantTools: LIMITS.operatorTenantTools,
};
/** A report of an earlier version does not say when its first request began: so long before, at most. */
const REPORTED_MS = 30_000;

/** Make the Durable Object class that counts for the operator. */
export function createOperatorLog(clock: Clock = systemClock): ObjectClass<OperatorLogMethods> {
  /**
   * The object that counts what all tenants of one jurisdiction did, by the hour. Each hour is in parts, by a digest of the tenant's
   * name, and a part is one row. The parts of the present hour that had reports are in memory, and are written down together: no more
   * often than every ten seconds, and no more than a row a second, however many reports there are. So a kill loses the counts of that
   * time, and nothing is ever counted twice.
   */
  return class OperatorLog extends DurableObject<Record<string, unknown>> implements OperatorLogMethods {
    readonly #sql: SqlStorage;
    #hour = 0;
    /** The parts of the present hour that had a report. */
    readonly #books = new Map<number, TallyBook>();
    /** Those of them that have changed since they were written. */
    readonly #changed = new Set<number>();
    #writeAt = 0;
    #alarmAt = Number.POSITIVE_INFINITY;
    /** When tenants were deleted: whatever began before is not counted. A row stays as long as an hour would. */
    readonly #erased = new Map<string, number>();

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      this.#sql = ctx.storage.sql;
      query(this.#sql)`
        CREATE TABLE IF NOT EXISTS hours (id INTEGER PRIMARY KEY, heads TEXT NOT NULL, tools TEXT NOT NULL) STRICT;
         CREATE TABLE IF NOT EXISTS standings (
           object TEXT PRIMARY KEY, tenant TEXT NOT NULL, at INTEGER NOT NULL, dead TEXT NOT NULL, waiting INTEGER NOT NULL
         ) WITHOUT ROWID, STRICT;
         CREATE TABLE IF NOT EXISTS erased (tenant TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID, STRICT`;
      for (const { tenant, at } of this.#sql.exec<{ tenant: string; at: number }>("SELECT * FROM erased"))
        this.#erased.set(tenant, at);
    }

    report(counted: readonly CountedTenant[]): void {
      const now = this.#enter();
      for (const one of counted) {
        const [tenant] = one.row;
        const begunAt = one.begunAt ?? now - REPORTED_MS;
        if (begunAt <= (this.#erased.get(tenant) ?? 0)) continue;
        const part = partOfTenant(tenant, PARTS);
        this.#bookOf(part).add(one);
        this.#changed.add(part);
      }
      if (now >= this.#writeAt) this.#write(now);
      else this.#wake(this.#writeAt);
    }

    tell({ object, tenant, dead, waiting }: Standing): void {
      const now = this.#enter();
      if (waiting === 0 && Object.keys(dead).length === 0)
        query(this.#sql)`DELETE FROM standings WHERE object = ${object}`;
      else
        query(this.#sql)`
          REPLACE INTO standings (object, tenant, at, dead, waiting)
          VALUES (${object}, ${tenant}, ${now}, ${JSON.stringify(dead)}, ${waiting})`;
      this.#wake(now + LIMITS.operatorToldMs);
    }

    overview({ hours, limit }: OverviewQuery): { tenants: SeenTenant[]; more: number } {
      const now = this.#enter();
      const sum = new OverviewSum();
      for (const heads of this.#headsSince(this.#hour - hours + 1)) sum.add(heads);
      const told = query<StandingRow>(this.#sql)`
        SELECT * FROM standings WHERE at > ${now - LIMITS.operatorToldMs}`;
      for (const { object, tenant, dead, waiting } of told)
        sum.stand({ object, tenant, dead: JSON.parse(dead) as DeadJobs, waiting });
      const tenants = sum.first(limit).map((seen) => ({
        ...seen,
        tools: sumTools(this.#toolsOf(seen.row[0], this.#hour - hours + 1), LIMITS.operatorTools),
      }));
      return { tenants, more: sum.size - tenants.length };
    }

    read(tenant: string): TenantHour[] {
      this.#enter();
      return [...this.#hoursOf(tenant, 0)];
    }

    erase(tenant: string): number {
      const now = this.#enter();
      this.#erased.set(tenant, now);
      query(this.#sql)`REPLACE INTO erased (tenant, at) VALUES (${tenant}, ${now})`;
      const part = partOfTenant(tenant, PARTS);
      this.#write(now);
      this.#books.delete(part);
      query(this.#sql)`DELETE FROM standings WHERE tenant = ${tenant}`;
      let count = 0;
      for (const row of this.#rowsOf(part, 0)) {
        const counted = readHour(row);
        const left = counted.filter(({ row: [name] }) => name !== tenant);
        if (left.length === counted.length) continue;
        count += 1;
        if (left.length > 0) this.#save(row.id, left);
        else query(this.#sql)`DELETE FROM hours WHERE id = ${row.id}`;
      }
      return count;
    }

    override async alarm(): Promise<void> {
      this.#alarmAt = Number.POSITIVE_INFINITY;
      const now = this.#enter();
      const isBusy = this.#changed.size > 0;
      this.#write(now);
      this.#prune(now);
      const [left] = this.#sql
        .exec<{ rows: number }>(
          "SELECT (SELECT COUNT(*) FROM hours) + (SELECT COUNT(*) FROM standings) + (SELECT COUNT(*) FROM erased) AS rows",
        )
        .toArray();
      // So that what is too old goes also where nothing is reported any more.
      if (left!.rows > 0) this.#wake(isBusy ? this.#writeAt : now + HOUR_MS);
    }

    /** Begin a turn. An hour that is over is written down, and its parts are read as rows from then on. */
    #enter(): number {
      const now = clock.now();
      const hour = Math.floor(now / HOUR_MS);
      if (hour > this.#hour) {
        if (this.#changed.size > 0) this.#write(now);
        this.#books.clear();
        this.#hour = hour;
        this.#prune(now);
      }
      return now;
    }

    #bookOf(part: number): TallyBook {
      const known = this.#books.get(part);
      if (known !== undefined) return known;
      const book = new TallyBook(BOUNDS);
      for (const row of query<Row>(this.#sql)`
        SELECT * FROM hours WHERE id = ${this.#hour * PARTS + part}`)
        for (const one of readHour(row)) book.add(one);
      this.#books.set(part, book);
      return book;
    }

    #write(now: number): void {
      for (const part of this.#changed)
        this.#save(this.#hour * PARTS + part, this.#books.get(part)!.counted());
      this.#writeAt = now + Math.max(LIMITS.operatorWriteMs, this.#changed.size * 1_000);
      this.#changed.clear();
    }

    #save(id: number, counted: Iterable<CountedTenant>): void {
      const { heads, tools } = toHourText(counted);
      query(this.#sql)`REPLACE INTO hours (id, heads, tools) VALUES (${id}, ${heads}, ${tools})`;
    }

    /** The tenants of each part of the hours from one on; of a part that is in memory as it is there. */
    *#headsSince(hour: number): Iterable<readonly TenantRow[]> {
      for (const { id, heads } of query<Omit<Row, "tools">>(this.#sql)`
        SELECT id, heads FROM hours WHERE id >= ${hour * PARTS}`)
        if (!this.#books.has(id - this.#hour * PARTS)) yield readHeads(heads);
      for (const book of this.#books.values()) yield Array.from(book.counted(), ({ row }) => row);
    }

    /** The hours of one tenant from one on. */
    *#hoursOf(tenant: string, hour: number): Iterable<TenantHour> {
      const part = partOfTenant(tenant, PARTS);
      const book = this.#books.get(part);
      for (const { id, heads, tools } of this.#rowsOf(part, hour)) {
        const at = (id - part) / PARTS;
        if (at === this.#hour && book !== undefined) continue;
        const row = readHeads(heads).find(([name]) => name === tenant);
        if (row !== undefined) yield { hour: at, row, tools: readTools(tools, tenant) };
      }
      const counted = book?.countedOf(tenant);
      if (counted !== undefined) yield { hour: this.#hour, ...counted };
    }

    *#toolsOf(tenant: string, hour: number): Iterable<readonly ToolRow[]> {
      const part = partOfTenant(tenant, PARTS);
      const book = this.#books.get(part);
      for (const { id, tools } of this.#rowsOf(part, hour))
        if (book === undefined || id !== this.#hour * PARTS + part) yield readTools(tools, tenant);
      if (book !== undefined) yield book.countedOf(tenant)?.tools ?? [];
    }

    *#rowsOf(part: number, hour: number): Iterable<Row> {
      const first = Math.max(hour, this.#hour - LIMITS.operatorHours);
      for (let at = first; at <= this.#hour; at += 1)
        yield* query<Row>(this.#sql)`SELECT * FROM hours WHERE id = ${at * PARTS + part}`.toArray();
    }

    /** Forget the hours that are too old, a few at a time, and what was told too long ago. */
    #prune(now: number): void {
      this.#sql.exec(
        `DELETE FROM hours WHERE id IN (SELECT id FROM hours WHERE id < ? ORDER BY id LIMIT ${4 * PARTS})`,
        (this.#hour - LIMITS.operatorHours + 1) * PARTS,
      );
      const longAgo = (this.#hour - LIMITS.operatorHours + 1) * HOUR_MS;
      for (const [tenant, at] of this.#erased)
        if (at < longAgo) {
          this.#erased.delete(tenant);
          query(this.#sql)`DELETE FROM erased WHERE tenant = ${tenant}`;
        }
      query(this.#sql)`
        DELETE FROM standings WHERE object IN (SELECT object FROM standings
        WHERE at <= ${now - LIMITS.operatorToldMs} LIMIT 1000)`;
    }

    #wake(at: number): void {
      if (at >= this.#alarmAt) return;
      this.#alarmAt = at;
      this.ctx.waitUntil(this.#setAlarm(at));
    }

    async #setAlarm(at: number): Promise<void> {
      const set = await this.ctx.storage.getAlarm();
      if (set === null || set > at) await this.ctx.storage.setAlarm(at);
    }
  };
}
