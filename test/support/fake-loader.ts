import type { WorkerLoader } from "../../src/tools/kit/call-pack.ts";

/** A pack: what it exports. */
type Exports = Readonly<Record<string, (...args: never[]) => unknown>>;

/**
 * A Worker Loader whose isolates are these modules, right here: what goes in and comes out is copied, as between isolates.
 * `ids` are those that were asked for.
 */
export function createFakeLoader(packs: Readonly<Record<string, Exports>>): WorkerLoader & {
  readonly ids: string[];
} {
  const ids: string[] = [];
  return {
    ids,
    get(id) {
      ids.push(id);
      const pack = packs[id.split("-")[0]!]!;
      return {
        getEntrypoint: () => ({
          call: async (method, args) =>
            structuredClone(await pack[method]!(...(structuredClone(args) as never[]))),
        }),
      };
    },
  };
}
