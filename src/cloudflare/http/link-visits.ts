import * as LIMITS from "../../core/contract/limits.ts";
import { decideGcra } from "../../core/kit/gcra.ts";
import { createSlot } from "../slot.ts";
import { type VisitorRates, visitorRatesOf } from "./visitor-rates.ts";

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
    this.#found.set(digest, tatMs);
    const [oldest] = this.#found.keys();
    if (this.#found.size > this.#most) this.#found.delete(oldest!);
  }
}

/** The allowances of a deployment's links; those that are not known draw from its visitors'. */
export const linkVisitsOf = createSlot((configured) => new LinkVisits(visitorRatesOf(configured)));
