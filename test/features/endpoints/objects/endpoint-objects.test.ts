import { describe, expect, test } from "vitest";

import { openDirectoryOf, openShardOf } from "../../../../src/features/endpoints/objects/endpoint-objects.ts";

/** Namespaces that say where an object was asked for, and by which name. */
const namespace = (where = "anywhere"): object => ({
  idFromName: (name: string) => ({ name }),
  get: ({ name }: { name: string }) => `${where}: ${name}`,
  ...(where === "anywhere" && { jurisdiction: (one: string) => namespace(one) }),
});
const env = { ENDPOINTS: namespace(), ENDPOINT_SHARDS: namespace() };

describe("The objects of a tenant's endpoints find each other", () => {
  test.each([
    [undefined, "anywhere"],
    ["eu", "eu"],
    ["us", "us"],
  ])("in the jurisdiction %s that the one is in", (jurisdiction, where) => {
    expect(openShardOf({ name: "acme", jurisdiction }, env, 7)).toBe(`${where}: acme/7`);
    expect(openDirectoryOf({ name: "acme/7", jurisdiction }, env)).toBe(`${where}: acme`);
  });
});
