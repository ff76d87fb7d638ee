import type { RowOf } from "../matrix.ts";

export const row: RowOf<"made keys"> = {
  runs: {
    risk: "a key that gets the name of a revoked one reads what that ran",
    test: "test/pairs/made-keys.test.ts",
    title:
      "T02 a key that gets the name of a revoked one sees nothing of the runs of tools that it may not call",
    tries: ["T02"],
  },
  rerun: {
    risk: "a key that gets the name of a revoked one runs that one's work again",
    test: "test/pairs/made-keys.test.ts",
    title: '["run them again", "rerun"',
    tries: ["T02"],
  },
  undo: {
    risk: "a key that gets the name of a revoked one takes back what that wrote",
    test: "test/pairs/made-keys.test.ts",
    title: '["take them back", "undo"',
    tries: ["T02"],
  },
  endpoints: {
    risk: "an endpoint ends with the key that made it, or that key publishes on",
    test: "test/pairs/made-keys.test.ts",
    title:
      "T01 an endpoint goes on when the key that made it is revoked, and that key publishes nothing any more",
    tries: ["T01"],
  },
  portal: {
    risk: "a customer is shut out when a key is revoked, or its link cannot be ended",
    test: "test/pairs/made-keys.test.ts",
    title: "a portal link outlives the key that made it until its own time is over or a key ends it",
    tries: [],
  },
  operator: {
    risk: "a key makes another one that sees all tenants",
    test: "test/harness/operator.test.ts",
    title: "T45 The flag operator is given to a made key by a key that has it, and by no other",
    tries: ["T45"],
  },
  "export and restore": {
    risk: "a restore brings back a key that was ended",
    test: "test/features/tenant-data/http/restore.test.ts",
    title:
      "F39 A restore brings back no key that has ended since, and leaves a name that has others as it is",
    tries: ["F39"],
  },
  deletion: {
    risk: "a key of a tenant that is gone is a key still",
    test: "test/features/keys/http/made-in-a-test.test.ts",
    title: "is deleted with its keys and its tools, and nothing of a tenant whose name begins as its",
    tries: ["T03"],
  },
  "vault rotation": {
    apart: "a key is kept as its digest alone, so there is nothing to seal",
    file: "src/features/keys/stored-key.ts",
    line: "readonly hash: string;",
  },
};
