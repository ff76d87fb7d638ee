import { attempt } from "../../core/kit/result.ts";
import type { ObjectClass } from "../../cloudflare/platform/object-class.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { createMemoryStorage } from "./memory-storage.ts";

interface Id {
  readonly name: string;
  toString(): string;
}

/** A namespace of Durable Objects in memory: the class as it is deployed, one object for each name, no network in between. */
export interface MemoryNamespace {
  idFromName(name: string): Id;
  get(id: Id): object;
  /** The objects that are kept there: the same names are others. */
  jurisdiction(jurisdiction: string): MemoryNamespace;
  /** Take from every object what it holds in memory, as the platform does with one that rests: it begins anew with what it has stored. */
  evict(): void;
}

/**
 * Create a namespace. Arguments and answers of an object are copied, as the platform does, and an object's alarm comes by the
 * clock.
 *
 * @param envOf the environment of the objects, asked when one is made: a namespace is part of it itself
 */
export function createMemoryObjects(
  of: ObjectClass<object>,
  clock: VirtualClock,
  envOf: () => Record<string, unknown>,
): MemoryNamespace {
  const elsewhere = new Map<string, MemoryNamespace>();
  const objects = new Map<string, Promise<Record<string, (...args: unknown[]) => unknown>>>();
  const stored = new Map<string, ReturnType<typeof createMemoryStorage>>();
  // Making the tables is most of what an object's first use takes. Where the first two begin alike, the others begin with a copy.
  const begins: (Uint8Array | undefined)[] = [];
  let like: Uint8Array | undefined;
  const create = async (id: Id): Promise<Record<string, (...args: unknown[]) => unknown>> => {
    let begun: Promise<unknown> = Promise.resolve();
    const alarm = async (): Promise<void> => void (await (await objectOf(id))["alarm"]?.());
    const isNew = !stored.has(id.name);
    const storage = stored.get(id.name) ?? createMemoryStorage(clock, () => void attempt(alarm), like);
    stored.set(id.name, storage);
    const blockConcurrencyWhile = (work: () => Promise<unknown>): Promise<unknown> => (begun = work());
    const waitUntil = (work: Promise<unknown>): void => void attempt(() => work);
    const ctx = { id, storage, blockConcurrencyWhile, waitUntil } as unknown as DurableObjectState;
    const made = new of(ctx, envOf());
    if (isNew && begins.length < 2 && begins.push(storage.bytes()) === 2)
      if (begins[0]?.every((byte, at) => byte === begins[1]?.[at])) like = begins[0];
    await begun;
    return made as unknown as Record<string, (...args: unknown[]) => unknown>;
  };
  const objectOf = (id: Id): Promise<Record<string, (...args: unknown[]) => unknown>> => {
    let made = objects.get(id.name);
    if (made === undefined) objects.set(id.name, (made = create(id)));
    return made;
  };
  return {
    jurisdiction(where) {
      const known = elsewhere.get(where) ?? createMemoryObjects(of, clock, envOf);
      elsewhere.set(where, known);
      return known;
    },
    evict() {
      objects.clear();
      for (const there of elsewhere.values()) there.evict();
    },
    idFromName: (name) => ({ name, toString: () => name }),
    get: (id) =>
      new Proxy(
        {},
        {
          get:
            (_, method: string) =>
            async (...args: unknown[]) =>
              structuredClone(await (await objectOf(id))[method]!(...structuredClone(args))),
        },
      ),
  };
}
