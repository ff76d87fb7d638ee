import type { Tool } from "../catalog/define-tool.ts";
import type { Clock } from "../kit/clock.ts";
import type { Ticket } from "./ticket.ts";
import type { Turn } from "./turn.ts";
import { getOrMake } from "../kit/get-or-make.ts";

/** Who goes first when a tool has room for one more. */
export interface Rank {
  /** Steps on the longest path that still hangs on this one; the longest goes first. */
  readonly remaining: number;
  /** Its place in the batch; the first goes first. */
  readonly position: number;
}

interface Waiting {
  readonly ticket: Ticket;
  readonly rank: Rank;
  readonly since: number;
  readonly dispatch: () => void;
}

interface Cap {
  free: number;
  /** Best rank last, so the next one is popped. */
  readonly waiting: Waiting[];
}

/** The line of every tool without a cap; no tool has an empty name. */
const UNCAPPED = "";

/**
 * The caps of a batch's tools: at most `tool.concurrency` calls of each under way at once.
 *
 * Not semaphores, because the call that has waited longest is not the one that should go next: the call with the longest path
 * behind it decides when the batch ends. Who goes is chosen at the end of a turn, from all that became ready in it. Calls that
 * are dispatched in the same turn go by their place in the batch, whatever their tools, so that is also how they queue for what
 * they share after this.
 */
export class ToolCaps {
  readonly #clock: Clock;
  readonly #turn: Turn;
  readonly #caps = new Map<string, Cap>();
  #isChoosing = false;

  constructor(clock: Clock, turn: Turn) {
    this.#clock = clock;
    this.#turn = turn;
  }

  /** Dispatch a call as soon as its tool has room for it, unless its ticket is over by then. */
  enqueue(ticket: Ticket, { tool, ...rank }: Rank & { readonly tool: Tool }, dispatch: () => void): void {
    const isFree = tool.concurrency === Number.POSITIVE_INFINITY;
    // Not past the calls of capped tools that became ready just before it.
    if (isFree && !this.#isChoosing) return dispatch();
    const cap = this.#capOf(isFree ? UNCAPPED : tool.name, tool.concurrency);
    insert(cap.waiting, { ticket, rank, since: this.#clock.now(), dispatch });
    this.#chooseSoon();
  }

  #capOf(name: string, free: number): Cap {
    return getOrMake(this.#caps, name, () => ({ free, waiting: [] }));
  }

  #chooseSoon(): void {
    if (this.#isChoosing) return;
    this.#isChoosing = true;
    this.#turn.atEnd(() => this.#choose());
  }

  #choose(): void {
    this.#isChoosing = false;
    const chosen = [...this.#caps.values()].flatMap((cap) => this.#take(cap));
    for (const { ticket, since, dispatch } of chosen.sort((a, b) => a.rank.position - b.rank.position)) {
      if (ticket.isOver) continue;
      ticket.queuedMs += Math.max(0, this.#clock.now() - since);
      dispatch();
    }
  }

  #take(cap: Cap): Waiting[] {
    const taken: Waiting[] = [];
    while (cap.free > 0) {
      const next = cap.waiting.pop();
      if (next === undefined) break;
      if (next.ticket.isOver) continue;
      cap.free -= 1;
      next.ticket.occupy(() => {
        cap.free += 1;
        if (cap.waiting.length > 0) this.#chooseSoon();
      });
      taken.push(next);
    }
    return taken;
  }
}

function insert(waiting: Waiting[], added: Waiting): void {
  let at = waiting.length;
  while (at > 0 && goesBefore(waiting[at - 1]!.rank, added.rank)) at -= 1;
  waiting.splice(at, 0, added);
}

function goesBefore(a: Rank, b: Rank): boolean {
  return a.remaining > b.remaining || (a.remaining === b.remaining && a.position <= b.position);
}
