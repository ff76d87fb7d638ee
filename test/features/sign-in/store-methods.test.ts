import { expect, test } from "vitest";

import * as LIMITS from "../../../src/features/sign-in/limits.ts";
import { compareSignIns, shardOfKey } from "../../../src/features/sign-in/store-methods.ts";

test("everything of one owner is in one object", () => {
  const keys = ["grant:owner:a", "grant:owner:b", "token:owner:a:1", "token:owner:a:", "grant:owner:"];
  expect(new Set(keys.map(shardOfKey)).size).toBe(1);
});

test("owners, clients and forms are spread over all objects", () => {
  for (const kind of ["grant", "client", "transaction"]) {
    const shards = Array.from({ length: 400 }, (_, n) => shardOfKey(`${kind}:${n}:x`));
    expect(new Set(shards).size).toBe(LIMITS.signInShards);
  }
});

test("sign-ins come newest first, names deciding between those of one moment", () => {
  const places = [
    { createdAt: 1, name: "b" },
    { createdAt: 2, name: "a" },
    { createdAt: 1, name: "a" },
  ];
  expect(places.sort(compareSignIns).map(({ createdAt, name }) => `${createdAt}${name}`)).toEqual([
    "2a",
    "1a",
    "1b",
  ]);
});
