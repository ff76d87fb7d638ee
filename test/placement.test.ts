import { expect, test, vi } from "vitest";

import { nameObject, placeJob, shardOf } from "../src/core/contract/gate/job-shard.ts";
import { shardOfSubject } from "../src/core/contract/gate/caller.ts";
import { shardOfId } from "../src/features/connections/link-token.ts";
import { shardOfHash, shardOfName } from "../src/features/keys/stored-key.ts";
import { shardOfKey } from "../src/features/sign-in/store-methods.ts";
import { createTestVolley } from "../src/package/testing.ts";
import { CONNECTORS } from "./features/connections/http/connection-world.ts";
import { ALL_FEATURES } from "./support/all-features.ts";
import { trial } from "./support/trial.ts";

// Data lies in the object that a name leads to: another name would be another, empty object. These values are those of the landed versions.

test("Jobs, keys, sign-ins and connections lie in the objects in which they always did", () => {
  const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
  const placed = [0, 6, 12, 18, 36].map((rank) => placeJob(id, { rank, atHome: 6 }));
  expect(placed.map(shardOf)).toEqual([0, 6, 7, 1, 4]);
  expect(placed[1]).toBe("6fa85f64-5717-8562-b3fc-2c963f66afa6");
  expect([0, 7].map((shard) => nameObject("acme", shard))).toEqual(["acme", "acme\x00outbox\x007"]);
  expect(["0a", "7b", "ff"].map(shardOfHash)).toEqual([0, 7, 15]);
  expect(["ci", "deploy", "größe"].map((name) => shardOfName({ tenant: "acme", name }))).toEqual([
    10, 10, 11,
  ]);
  expect(
    ["grant:owner:id", "token:owner:x", "client:abc", "client:x7", "consent:12"].map(shardOfKey),
  ).toEqual([4, 4, 4, 2, 8]);
  expect(["ada", "user_42", "ada@acme.dev"].map(shardOfSubject)).toEqual([15, 14, 11]);
  expect(shardOfId("cn_b0123456789abcdef01234567")).toBe(11);
});

/** A binding that notes where an object was asked for, and by which name. Its objects answer nothing. */
function recordNames(names: string[], where = "anywhere"): object {
  return {
    idFromName(name: string) {
      names.push(`${where}: ${name}`);
      return { name };
    },
    get: () => new Proxy({}, { get: () => () => Promise.reject(new Error("Nothing answers")) }),
    ...(where === "anywhere" && { jurisdiction: (one: string) => recordNames(names, one) }),
  };
}

trial.each([
  ["no jurisdiction is named", undefined, "anywhere", "anywhere"],
  ["a key names one", "us", "us", "eu"],
] as const)(
  "Each feature asks for its objects by the names that they always had, where %s",
  async (_, jurisdiction, where, others) => {
    for (const level of ["log", "warn", "error"] as const) vi.spyOn(console, level).mockReturnValue();
    const seen: Record<string, string[]> = {};
    const bindings = ["KEYS", "SIGN_INS", "RUNS", "OPERATOR", "CONNECTIONS", "ENDPOINTS"];
    const key = {
      tenant: "acme",
      flags: ["operator", "manage_keys", "manage_tools", "manage_connections", "manage_endpoints"] as const,
      ...(jurisdiction !== undefined && { jurisdiction }),
    };
    const volley = await createTestVolley({
      tools: [],
      features: ALL_FEATURES,
      key,
      env: {
        VOLLEY_CONNECTORS: JSON.stringify(CONNECTORS),
        ACME_SECRET: "s",
        VOLLEY_VAULT_KEY: btoa("0123456789abcdef0123456789abcdef"),
        ...(jurisdiction !== undefined && { VOLLEY_JURISDICTION: "eu" }),
        ...Object.fromEntries(bindings.map((name) => [name, recordNames((seen[name] = []))])),
      },
    });
    for (const path of ["keys", "sign_ins", "runs", "operator/overview", "connections", "endpoints"])
      expect((await volley.fetch(`/v1/${path}`)).status).toBe(503);
    vi.restoreAllMocks();
    const shards = Array.from({ length: 16 }, (_name, shard) => shard);
    const names = Object.entries(seen).map(([name, asked]) => [name, [...new Set(asked)]]);
    expect(Object.fromEntries(names)).toEqual({
      CONNECTIONS: shards.map((shard) => `${where}: acme/${shard}`),
      ENDPOINTS: [`${where}: acme`],
      KEYS: shards.map((shard) => `${others}: keys ${shard}`),
      OPERATOR: [`${where}: operator`],
      RUNS: [`${where}: acme`],
      SIGN_INS: shards.map((shard) => `${others}: sign-ins ${shard}`),
    });
  },
);
