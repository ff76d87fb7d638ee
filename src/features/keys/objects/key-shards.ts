import { attempt, err } from "../../../feature/refuse.ts";
import { type CallBounds, type ObjectNamespace, openObject } from "../../../feature/object.ts";
import { mergeRows, type TakenRows } from "../../../feature/kit.ts";
import {
  compareKeys,
  type FoundKey,
  type KeptKey,
  type KeyAnswer,
  type KeyOwner,
  type KeyPlace,
  type KeyRotation,
  type KeyShardMethods,
  shardOfHash,
  shardOfName,
} from "../stored-key.ts";
import * as LIMITS from "../limits.ts";

/** The binding of the objects that keep keys. */
export type KeyShardNamespace = ObjectNamespace<KeyShardMethods>;

/** The objects that keep keys, as one. Every question rejects if an object does not answer. */
export interface KeyShards {
  /** Whose some digests are that have the same first digit, or lie in the same object. */
  find(shard: number, hashes: readonly string[]): Promise<readonly (FoundKey | null)[]>;
  read(owner: KeyOwner): Promise<KeptKey | null>;
  make(key: KeptKey): Promise<KeyAnswer>;
  rotate(rotation: KeyRotation): Promise<KeyAnswer>;
  /** Forget a name; the digests that it had, null where there was none. */
  revoke(owner: KeyOwner): Promise<readonly string[] | null>;
  list(tenant: string, after: KeyPlace | null, limit: number): Promise<TakenRows<KeptKey>>;
  /** Forget everything of a tenant; how many names it had. */
  forget(tenant: string): Promise<number>;
}

/**
 * Create a client of the objects that keep keys.
 *
 * A digest is first written where it will be looked for, then the name that it belongs to: an interrupted write leaves an index entry without a record, which readers ignore, and never an unlisted key. A revocation is the name's own turn; the index entry goes afterwards; one that stays has no record either. A digest belongs to one name: a sign that leads to a key stays, even if another name brings
 * its hash.
 */
export function createKeyShards(namespace: KeyShardNamespace, bounds: CallBounds): KeyShards {
  const open = (shard: number) => openObject(namespace, `keys ${shard}`, bounds);
  const all = () => Array.from({ length: LIMITS.keyShards }, (_, shard) => open(shard));
  const holds = async (owner: KeyOwner, hash: string): Promise<boolean> => {
    const [found] = await open(shardOfName(owner)).find([hash]);
    return found?.kind === "key";
  };
  const unpoint = (hashes: readonly string[], owner: KeyOwner): Promise<unknown> =>
    Promise.all(hashes.map((hash) => attempt(() => open(shardOfHash(hash)).unpoint([hash], owner))));

  /** Write a name's new digest where it is looked for, then the name; take the sign back where the name is not written. */
  const keep = async (
    { tenant, name }: KeyOwner,
    { hash, untilMs }: { hash: string; untilMs: number | null },
    write: () => Promise<KeyAnswer>,
  ): Promise<KeyAnswer> => {
    const owner = { tenant, name };
    const [there, home] = [shardOfHash(hash), shardOfName(owner)];
    if (there === home) return write();
    const other = await open(there).point(hash, owner, { untilMs });
    if (other !== null) {
      if (await holds(other, hash)) return err("hash-taken");
      const still = await open(there).point(hash, owner, { untilMs, instead: other });
      if (still !== null) return err("hash-taken");
    }
    const written = await write();
    if (!written.ok && !(await holds(owner, hash))) await unpoint([hash], owner);
    return written;
  };

  /** Tell the objects where a name's digests are looked for until when that is. */
  const limitSigns = ({ tenant, name, digests, expiresAt }: KeptKey): Promise<unknown> =>
    Promise.all(
      digests
        .filter(({ hash }) => shardOfHash(hash) !== shardOfName({ tenant, name }))
        .map(({ hash, endsAt }) =>
          attempt(() =>
            open(shardOfHash(hash)).point(hash, { tenant, name }, { untilMs: endsAt ?? expiresAt }),
          ),
        ),
    );

  return {
    find: (shard, hashes) => open(shard).find(hashes),
    read: (owner) => open(shardOfName(owner)).read(owner),
    make: (key) =>
      keep(key, { hash: key.digests[0]!.hash, untilMs: key.expiresAt }, () =>
        open(shardOfName(key)).make(key),
      ),
    async rotate(rotation) {
      const { tenant, name, hash } = rotation;
      const owner = { tenant, name };
      const rotated = await keep(owner, { hash, untilMs: null }, () =>
        open(shardOfName(owner)).rotate(rotation),
      );
      if (rotated.ok) await limitSigns(rotated.value);
      return rotated;
    },
    async revoke({ tenant, name }) {
      const owner = { tenant, name };
      const hashes = await open(shardOfName(owner)).revoke(owner);
      if (hashes !== null) await unpoint(hashes, owner);
      return hashes;
    },
    async list(tenant, after, limit) {
      const lists = await Promise.all(all().map((stub) => stub.list(tenant, after, limit)));
      return mergeRows(lists, limit, compareKeys);
    },
    async forget(tenant) {
      const counts = await Promise.all(all().map((stub) => stub.forget(tenant)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}
