import { query } from "../../../feature/object.ts";
import type { EndpointList } from "../directory-methods.ts";
import * as LIMITS from "../limits.ts";

export type IndexedEndpoint = {
  readonly no: number;
  readonly id: string;
  readonly shard: number;
  readonly customer: string | null;
};

/**
 * Which of a tenant's endpoints is kept in which object, all of it in memory. An endpoint comes into the object that has fewest, so an
 * event for all of them is dealt out evenly; those of one customer may lie together as long as they are few.
 */
export class EndpointIndex {
  readonly #sql: SqlStorage;
  readonly #byId = new Map<string, IndexedEndpoint>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    // Numbers are never used again: a later endpoint of the same id is another one.
    query(this.#sql)`
      CREATE TABLE IF NOT EXISTS endpoint_index (
         no INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, shard INTEGER NOT NULL, customer TEXT
       ) STRICT`;
    for (const row of this.#sql.exec<IndexedEndpoint>("SELECT * FROM endpoint_index ORDER BY no"))
      this.#byId.set(row.id, row);
  }

  get size(): number {
    return this.#byId.size;
  }

  find(id: string): IndexedEndpoint | null {
    return this.#byId.get(id) ?? null;
  }

  countOf(customer: string): number {
    let count = 0;
    for (const endpoint of this.#byId.values()) if (endpoint.customer === customer) count += 1;
    return count;
  }

  values(): Iterable<IndexedEndpoint> {
    return this.#byId.values();
  }

  add(id: string, customer: string | null): IndexedEndpoint {
    const shard = this.#placeFor(customer);
    const insert = "INSERT INTO endpoint_index (id, shard, customer) VALUES (?, ?, ?) RETURNING *";
    const added = this.#sql.exec<IndexedEndpoint>(insert, id, shard, customer).one();
    this.#byId.set(id, added);
    return added;
  }

  /** Say whose an endpoint is. */
  assign(known: IndexedEndpoint, customer: string | null): void {
    if (known.customer === customer) return;
    query(this.#sql)`UPDATE endpoint_index SET customer = ${customer} WHERE no = ${known.no}`;
    this.#byId.set(known.id, { ...known, customer });
  }

  remove({ no, id }: IndexedEndpoint): void {
    query(this.#sql)`DELETE FROM endpoint_index WHERE no = ${no}`;
    this.#byId.delete(id);
  }

  /** The objects that have an endpoint of a customer; that have any, where no customer is named. */
  shardsOf(customer: string | null): number[] {
    const shards = new Set<number>();
    for (const endpoint of this.#byId.values()) {
      if (customer === null || endpoint.customer === customer) shards.add(endpoint.shard);
      if (shards.size === LIMITS.endpointShards) break;
    }
    return [...shards];
  }

  /** The latest endpoints before a number. */
  page({ customer, before, limit }: Omit<EndpointList, "state">): IndexedEndpoint[] {
    const highest = before ?? Number.POSITIVE_INFINITY;
    return [...this.#byId.values()]
      .filter((one) => one.no < highest && (customer === undefined || one.customer === customer))
      .sort((a, b) => b.no - a.no)
      .slice(0, limit);
  }

  erase(): void {
    this.#sql.exec("DELETE FROM endpoint_index");
    this.#byId.clear();
  }

  /**
   * The object that a new endpoint comes into. While few lie in it, that is the one that has the customer's others: an event for the
   * customer then costs one object instead of one for each endpoint.
   */
  #placeFor(customer: string | null): number {
    const counts = Array.from({ length: LIMITS.endpointShards }, () => 0);
    let own: number | null = null;
    for (const known of this.#byId.values()) {
      counts[known.shard]! += 1;
      if (customer !== null && known.customer === customer) own = known.shard;
    }
    if (own !== null && counts[own]! < LIMITS.endpointsTogether) return own;
    return counts.indexOf(Math.min(...counts));
  }
}
