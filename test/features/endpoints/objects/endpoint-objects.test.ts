import { describe, expect, test } from "vitest";

import { openDirectoryOf, openShardOf } from "../../../../src/features/endpoints/objects/endpoint-objects.ts";
import { VirtualClock } from "../../../../src/package/testing/virtual-clock.ts";

/** Namespaces that say where an object was asked for, and by which name. */
const namespace = (where = "anywhere"): object => ({
  idFromName: (name: string) => ({ name }),
  get: ({ name }: { name: string }) => ({
    erase: async () => `${where}: ${name}`,
    since: async () => ({ answer: `${where}: ${name}` }),
  }),
  ...(where === "anywhere" && { jurisdiction: (one: string) => namespace(one) }),
});
const clock = new VirtualClock(0);
const env = { ENDPOINTS: namespace(), ENDPOINT_SHARDS: namespace() };

describe("The objects of a tenant's endpoints find each other", () => {
  test.each([
    [undefined, "anywhere"],
    ["eu", "eu"],
    ["us", "us"],
  ])("in the jurisdiction %s that the one is in", async (jurisdiction, where) => {
    const directory = { id: { name: "acme", jurisdiction }, env, clock };
    expect(await openShardOf(directory, 7).erase()).toBe(`${where}: acme/7`);
    const shard = { id: { name: "acme/7", jurisdiction }, env, clock };
    expect(await openDirectoryOf(shard).erase()).toBe(`${where}: acme`);
  });
});
