import * as LIMITS from "../limits.ts";
import type { PublishedEvent } from "../delivery.ts";
import type { RecoverQuery } from "../endpoint-shard-methods.ts";
import type { IndexedEndpoint } from "./endpoint-index.ts";
import type { EventLog } from "./event-log.ts";
import type { ShardCalls } from "./endpoint-objects.ts";

/** Bytes of events that go to an object in one call. */
const CHUNK = 1024 * 1024;
/** Pages of events that are looked through for those that an endpoint was never offered. */
const PAGES_LOOKED = 20;

/** The parts of a directory that know events, and who delivers them. */
interface Kept {
  readonly log: EventLog;
  readonly shards: ShardCalls;
}

/** Deliver what an endpoint should have got in a time and did not, the oldest first; how many. */
export async function recover(known: IndexedEndpoint, query: RecoverQuery, kept: Kept): Promise<number> {
  const missed = await kept.shards.of(known.shard).missed(known.id, query);
  const events = kept.log.at(missed);
  if (query.all) events.push(...(await findUnoffered(known, query, { ...kept, missed: new Set(missed) })));
  events.sort((a, b) => a.seq - b.seq);
  return reopen(known, events.slice(0, LIMITS.eventsRecovered), kept);
}

/** Deliver the event of one place; false where it is not kept any more, or its endpoint takes nothing. */
export async function resend(known: IndexedEndpoint, seq: number, kept: Kept): Promise<boolean> {
  return (await reopen(known, kept.log.at([seq]), kept)) > 0;
}

/** The events of a time that an endpoint was never offered, because it got nothing then. */
async function findUnoffered(
  { id, shard }: IndexedEndpoint,
  { since, until }: RecoverQuery,
  { log, shards, missed }: Kept & { readonly missed: ReadonlySet<number> },
): Promise<PublishedEvent[]> {
  const found: PublishedEvent[] = [];
  let after = 0;
  for (let looked = 0; looked < PAGES_LOOKED && found.length < LIMITS.eventsRecovered; looked += 1) {
    const page = log.between(since, until, { after, limit: LIMITS.eventsPruned });
    if (page.length === 0) break;
    after = page.at(-1)!.seq;
    const fresh = page.filter(({ seq, only }) => only === undefined && !missed.has(seq));
    for (const chunk of inChunks(fresh)) {
      const seqs = new Set(await shards.of(shard).unoffered(id, chunk));
      found.push(...chunk.filter(({ seq }) => seqs.has(seq)));
    }
  }
  return found;
}

async function reopen(
  { id, shard }: IndexedEndpoint,
  events: readonly PublishedEvent[],
  { shards }: Kept,
): Promise<number> {
  let count = 0;
  for (const chunk of inChunks(events)) count += await shards.of(shard).reopen(id, chunk);
  return count;
}

/** Part events into groups that a call has room for. */
function inChunks(events: readonly PublishedEvent[]): PublishedEvent[][] {
  const chunks: PublishedEvent[][] = [];
  let held = CHUNK;
  for (const event of events) {
    held += event.data.length;
    if (held > CHUNK) {
      chunks.push([]);
      held = event.data.length;
    }
    chunks.at(-1)!.push(event);
  }
  return chunks;
}
