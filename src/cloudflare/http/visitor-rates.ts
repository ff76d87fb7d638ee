import * as LIMITS from "../../core/contract/limits.ts";
import { decideGcra, type GcraRate } from "../../core/kit/gcra.ts";
import { createSlot } from "../slot.ts";
import { makeRoom } from "../../core/kit/get-or-make.ts";

/** How many requests of visitors are answered: those who have no key yet, so that no quota counts them. */
export interface VisitorLimits {
  readonly each: GcraRate;
  /** All of them together, in this isolate. */
  readonly all: GcraRate;
  /** Addresses that are remembered. */
  readonly visitors: number;
}

const USUAL: VisitorLimits = {
  each: { limit: LIMITS.visitorRequests, windowS: 60 },
  all: { limit: LIMITS.visitorsRequests, windowS: 60 },
  visitors: LIMITS.visitors,
};

/**
 * Count the requests of visitors in this isolate, by where they come from. One who floods is told to wait before an object is asked, and
 * takes nothing of the others; many together are bounded too.
 */
export class VisitorRates {
  readonly #limits: VisitorLimits;
  /** Theoretical arrival times, least recently used first. */
  readonly #each = new Map<string, number>();
  #all = 0;

  constructor(limits: VisitorLimits = USUAL) {
    this.#limits = limits;
  }

  /** Draw one request: 0 where it is answered, else the milliseconds to wait. */
  draw({ headers }: Pick<Request, "headers">, nowMs: number): number {
    const { each, all, visitors } = this.#limits;
    const visitor = visitorOf(headers.get(ADDRESS));
    if (visitor !== null) {
      const own = decideGcra(this.#each.get(visitor) ?? 0, nowMs, each);
      if (!own.allowed) return own.retryAfterMs;
      this.#each.delete(visitor);
      makeRoom(this.#each, visitors);
      this.#each.set(visitor, own.tatMs);
    }
    const together = decideGcra(this.#all, nowMs, all);
    this.#all = together.tatMs;
    return together.allowed ? 0 : together.retryAfterMs;
  }

  /** Give a request back that was drawn and is counted elsewhere. */
  giveBack({ headers }: Pick<Request, "headers">): void {
    const { each, all } = this.#limits;
    const visitor = visitorOf(headers.get(ADDRESS));
    const tatMs = visitor === null ? undefined : this.#each.get(visitor);
    if (tatMs !== undefined) this.#each.set(visitor!, tatMs - (each.windowS * 1_000) / each.limit);
    this.#all -= (all.windowS * 1_000) / all.limit;
  }
}

/** The rates of a deployment: all features that answer visitors count together. */
export const visitorRatesOf = createSlot(() => new VisitorRates());

/** The platform writes it itself, and takes what a client sends under the name away. */
const ADDRESS = "cf-connecting-ip";

/** The addresses of a development server's own machine. */
const LOOPBACK = /^(?:127\.|::1$)/;

/**
 * The part of an address that is one visitor's; null where nothing says where a request comes from, or it comes from the machine itself. A
 * network of IPv6 has a whole /64.
 */
function visitorOf(address: string | null): string | null {
  if (address === null || LOOPBACK.test(address)) return null;
  if (!address.includes(":")) return address;
  const [beginning = ""] = address.split("::");
  const groups = [...beginning.split(":").filter((group) => group !== ""), "0", "0", "0", "0"];
  return groups.slice(0, 4).join(":").toLowerCase();
}

/** A request by a link: of its token a digest alone is looked at. */
export interface LinkVisit {
  readonly request: Pick<Request, "headers">;
  readonly digest: string;
}

const OWN = { limit: LIMITS.visitorRequests, windowS: 60 };

/**
 * Count the requests by links in this isolate: one that was found here lately draws from an allowance of its own; any other, a forged one
 * too, from that of the address it comes from.
 */
export class LinkVisits {
  readonly #visitors: VisitorRates;
  readonly #most: number;
  /** Theoretical arrival times of links that were found, least recently used first. */
  readonly #found = new Map<string, number>();

  constructor(visitors: VisitorRates, most: number = LIMITS.visitors) {
    this.#visitors = visitors;
    this.#most = most;
  }

  /** Draw one request, before an object is asked: 0 where it is answered, else the milliseconds to wait. */
  draw({ request, digest }: LinkVisit, nowMs: number): number {
    const tatMs = this.#found.get(digest);
    if (tatMs === undefined) return this.#visitors.draw(request, nowMs);
    const own = decideGcra(tatMs, nowMs, OWN);
    if (own.allowed) this.#keep(digest, own.tatMs);
    return own.allowed ? 0 : own.retryAfterMs;
  }

  /** Note that there is a link of this token: it is counted by itself, this request included. */
  found({ request, digest }: LinkVisit, nowMs: number): void {
    if (this.#found.has(digest)) return;
    this.#visitors.giveBack(request);
    this.#keep(digest, decideGcra(0, nowMs, OWN).tatMs);
  }

  /** Note that there is none, or none any more. */
  gone({ digest }: LinkVisit): void {
    this.#found.delete(digest);
  }

  #keep(digest: string, tatMs: number): void {
    this.#found.delete(digest);
    makeRoom(this.#found, this.#most);
    this.#found.set(digest, tatMs);
  }
}

/** The allowances of a deployment's links; those that are not known draw from its visitors'. */
export const linkVisitsOf = createSlot((configured) => new LinkVisits(visitorRatesOf(configured)));
