import type { Tool } from "../catalog/define-tool.ts";
import * as LIMITS from "../contract/limits.ts";
import { isInDoubt, type Outcome } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import { readKey } from "../plan/same-reads.ts";
import type { Call } from "../plan/step.ts";
import { getOrMake } from "../kit/get-or-make.ts";

export interface CachedAnswer {
  readonly json: string;
  /** Size of `json` as UTF-8. */
  readonly bytes: number;
  /** Since it was asked for, not since it came: the upstream may have looked at once. */
  readonly ageMs: number;
}

/** Tell the cache how a call ended. A call that never tells is forgotten by time. */
export type CallEnd = (outcome: Outcome) => void;

export interface CacheLimits {
  /** Answers of all tenants together. */
  readonly entries: number;
  /** The bytes that they and their keys take, together and each. */
  readonly bytes: number;
  readonly entryBytes: number;
}

const CACHE_LIMITS: CacheLimits = {
  entries: LIMITS.cacheEntries,
  bytes: LIMITS.cacheBytes,
  entryBytes: LIMITS.cacheEntryBytes,
};

/** Create the cache of a deployment; null when none of its tools allows its answers to be remembered. */
export function createReadCache(
  tools: readonly Tool[],
  clock: Pick<Clock, "now">,
  limits = CACHE_LIMITS,
): ReadCache | null {
  const cached = tools.filter(({ orchestration }) => orchestration.cache_ttl_s !== undefined);
  return cached.length === 0
    ? null
    : new ReadCache(new Set(cached.map(({ domain }) => domain)), clock, limits);
}

/**
 * Answers of reads that one isolate remembers, as long as their tools' `cache_ttl_s` allows: each tenant sees its own
 * only, and together they are bounded. When there is no more room, what was not used for longest goes first.
 */
export class ReadCache {
  readonly #domains: ReadonlySet<string>;
  readonly #clock: Pick<Clock, "now">;
  readonly #limits: CacheLimits;
  /** Least recently used first. */
  readonly #recent = new Set<Entry>();
  /** No more than the configured keys have tenants. One is never forgotten: it knows of its writes under way. */
  readonly #tenants = new Map<string, TenantReads>();
  #bytes = 0;

  /** @param domains those in which something may be remembered; writes of others are no business of the cache */
  constructor(domains: ReadonlySet<string>, clock: Pick<Clock, "now">, limits: CacheLimits = CACHE_LIMITS) {
    this.#domains = domains;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** The part of one tenant. */
  of(tenant: string): TenantReads {
    return getOrMake(
      this.#tenants,
      tenant,
      () =>
        new TenantReads(this.#domains, this.#clock, {
          add: (entry) => this.#add(entry),
          touch: (entry) => this.#touch(entry),
          drop: (entry) => this.#drop(entry),
        }),
    );
  }

  #add(entry: Entry): void {
    const known = entry.siblings.get(entry.key);
    if (known !== undefined) {
      if (known.askedAt > entry.askedAt) return;
      this.#drop(known);
    }
    if (entry.size > Math.min(this.#limits.entryBytes, this.#limits.bytes)) return;
    entry.siblings.set(entry.key, entry);
    this.#recent.add(entry);
    this.#bytes += entry.size;
    for (const oldest of this.#recent) {
      if (this.#recent.size <= this.#limits.entries && this.#bytes <= this.#limits.bytes) return;
      this.#drop(oldest);
    }
  }

  #touch(entry: Entry): void {
    this.#recent.delete(entry);
    this.#recent.add(entry);
  }

  #drop(entry: Entry): void {
    entry.siblings.delete(entry.key);
    if (this.#recent.delete(entry)) this.#bytes -= entry.size;
  }
}

interface Entry {
  readonly key: string;
  readonly json: string;
  readonly bytes: number;
  readonly askedAt: number;
  /** The memory that it takes: its key and text at two bytes a character, the most an engine needs. */
  readonly size: number;
  /** The answers of its tenant and domain, by key. */
  readonly siblings: Map<string, Entry>;
}

/** Where entries are kept in the order of their use. */
interface RecentlyUsed {
  add(entry: Entry): void;
  touch(entry: Entry): void;
  drop(entry: Entry): void;
}

interface Domain {
  readonly answers: Map<string, Entry>;
  /** Writes under way; one whose end is never told counts until its time is over. */
  readonly writes: Set<{ readonly endsAt: number }>;
  /** How often it was cleared: a read that began before the last time has nothing to give. */
  cleared: number;
}

/**
 * An isolate's memory of one tenant's reads.
 *
 * An answer is kept only if no write of its domain was under way at any moment of the read, and what was kept goes when a
 * write begins: so nothing that is found is from before a write that this isolate has sent, whether that is under way,
 * over or lost.
 */
export class TenantReads {
  readonly #cached: ReadonlySet<string>;
  readonly #clock: Pick<Clock, "now">;
  readonly #recent: RecentlyUsed;
  /** At most one for each domain of the catalog in which something may be remembered. */
  readonly #domains = new Map<string, Domain>();

  constructor(cached: ReadonlySet<string>, clock: Pick<Clock, "now">, recent: RecentlyUsed) {
    this.#cached = cached;
    this.#clock = clock;
    this.#recent = recent;
  }

  /** Find what this call would answer. A clock that was set back ends every answer from after it: its age is unknown. */
  find(call: Call): CachedAnswer | null {
    const ttlMs = ttlMsOf(call.tool);
    if (ttlMs === null) return null;
    const entry = this.#domains.get(call.tool.domain)?.answers.get(readKey(call));
    if (entry === undefined) return null;
    const ageMs = this.#clock.now() - entry.askedAt;
    if (ageMs < 0 || ageMs >= ttlMs) {
      this.#recent.drop(entry);
      return null;
    }
    this.#recent.touch(entry);
    return { json: entry.json, bytes: entry.bytes, ageMs };
  }

  /** Watch a call that begins now; what is returned must hear how it ended. Undefined when it is no business of the cache. */
  watch(call: Call): CallEnd | undefined {
    const { tool } = call;
    if (tool.isWrite) return this.#concerns(tool) ? this.#watchWrite(call) : undefined;
    return ttlMsOf(tool) === null ? undefined : this.#watchRead(call);
  }

  /** The reads that the tenant adds while running, and their domains, are not known beforehand: its own writes always count. */
  #concerns({ domain, added }: Tool): boolean {
    return this.#cached.has(domain) || added !== undefined || this.#domains.has(domain);
  }

  #watchRead(call: Call): CallEnd | undefined {
    const domain = this.#domainOf(call.tool.domain);
    const askedAt = this.#clock.now();
    dropOver(domain, askedAt);
    if (domain.writes.size > 0) return undefined;
    const { cleared, answers } = domain;
    return (outcome) => {
      if (outcome.status !== "success" || domain.cleared !== cleared) return;
      const { json, meta } = outcome;
      const key = readKey(call);
      const size = 2 * (key.length + json.length);
      this.#recent.add({ key, json, bytes: meta.bytes!, askedAt, size, siblings: answers });
    };
  }

  #watchWrite({ tool, timeoutMs }: Call): CallEnd {
    const domain = this.#domainOf(tool.domain);
    const now = this.#clock.now();
    // In an outage no end may be told, and no read may follow either.
    dropOver(domain, now);
    // It is sent before its batch's deadline, and its own time ends it after that.
    const write = { endsAt: now + LIMITS.maxDeadlineMs + timeoutMs };
    domain.writes.add(write);
    this.#clear(domain);
    return (outcome) => {
      // A write that may still take effect is under way for as long as it could.
      if (!isInDoubt(outcome)) domain.writes.delete(write);
      this.#clear(domain);
    };
  }

  #clear(domain: Domain): void {
    domain.cleared += 1;
    for (const entry of domain.answers.values()) this.#recent.drop(entry);
  }

  #domainOf(name: string): Domain {
    return getOrMake(this.#domains, name, () => ({ answers: new Map(), writes: new Set(), cleared: 0 }));
  }
}

/** Forget writes whose time is over; behind one that is under way the next call finds them. */
function dropOver({ writes }: Domain, now: number): void {
  for (const write of writes) {
    if (now < write.endsAt) return;
    writes.delete(write);
  }
}

function ttlMsOf({ orchestration }: Tool): number | null {
  const { cache_ttl_s: ttlS } = orchestration;
  return ttlS === undefined ? null : 1_000 * ttlS;
}
