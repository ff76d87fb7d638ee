import { deriveId } from "../../kit/derive-id.ts";
import * as LIMITS from "../limits.ts";
import type { JobCursor, JobSpec } from "./job.ts";

/** The object that holds the tenant's quota, and the jobs of most batches. */
export const HOME = 0;

/** `placeJob` turns a random UUID (version 4) into one of version 8, whose content is the application's (RFC 9562). */
const PLACEABLE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const PLACED = /^([0-9a-f])[0-9a-f]{7}-[0-9a-f]{4}-8/;
const VERSION_AT = 14;

/** The objects beside home. */
const OTHERS = LIMITS.outboxShards - 1;

/**
 * Place a job on one of the tenant's outbox objects, which its id names from then on. The batch's first jobs stay at home,
 * where they are recorded with its quota and tried by the request itself. The others are dealt out by as many as an object's
 * alarm has header slots, each such group to the next object: what one alarm can do at once costs one call, one alarm and one
 * look at the clock. Where a batch begins to deal is drawn with its ids, so batches of the same size fill all objects alike.
 *
 * The same id and rank always give the same id, so derived ids are placed alike each time. An id that is no UUID stays as it is,
 * and at home.
 *
 * @param rank how many of the batch's jobs come before this one
 * @param atHome how many jobs stay at home; Infinity for a tool with a cap or a limit, which can only hold in one place
 */
export function placeJob(id: string, { rank, atHome }: { rank: number; atHome: number }): string {
  if (rank < atHome || !PLACEABLE.test(id)) return id;
  const group = Math.floor((rank - atHome) / LIMITS.headerSlots);
  return nameShard(id, 1 + ((firstOf(id) + group) % OTHERS));
}

/** Where the jobs of a batch begin to be dealt out, from 0: by two digits that all ids of one seed have. */
function firstOf(id: string): number {
  return Number.parseInt(id.slice(1, 3), 16) % OTHERS;
}

function nameShard(id: string, shard: number): string {
  return `${shard.toString(16)}${id.slice(1, VERSION_AT)}8${id.slice(VERSION_AT + 1)}`;
}

/**
 * Give a job the id that it has under another seed, and with it that idempotency key. Its position in the batch stays, and its
 * object is the one that it has under that seed: an id says both, so nothing but the seed is needed.
 */
export function reseedJob(spec: JobSpec, seed: string): JobSpec {
  const derived = deriveId(seed, Number.parseInt(spec.id.slice(-4), 16));
  const shard = shardOf(spec.id);
  const id = shard === HOME ? derived : nameShard(derived, moved(shard, spec.id, derived));
  return { ...spec, id, idempotencyKey: id };
}

/** The object of the same group of jobs under the seed of another id. */
function moved(shard: number, from: string, to: string): number {
  return 1 + ((shard - 1 - firstOf(from) + firstOf(to) + OTHERS) % OTHERS);
}

/** The shard that a job's id names; home for ids of any other shape. */
export function shardOf(id: string): number {
  const digit = PLACED.exec(id)?.[1];
  const shard = digit === undefined ? HOME : Number.parseInt(digit, 16);
  return shard < LIMITS.outboxShards ? shard : HOME;
}

/** Name one of a tenant's objects. No tenant's name has a NUL in it, so no tenant's home is another's shard. */
export function nameObject(tenant: string, shard: number): string {
  return shard === HOME ? tenant : `${tenant}\0outbox\0${shard}`;
}

/** The tenant that an object of this name is one of. */
export function tenantOfObject(name: string): string {
  return name.split("\0", 1)[0]!;
}

/** Put the newest job first, ids deciding between those of one moment: the order of every list of jobs. */
export function compareJobs(a: JobCursor, b: JobCursor): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1;
}
