import type { RowOf } from "../matrix.ts";

export const row: RowOf<"sign-in"> = {
  subjects: {
    risk: "a program names another person than the one who let it in",
    test: "test/harness/sign-in.test.ts",
    title: "T52 names no subject: the header beside it is 403",
    tries: ["T52"],
  },
  connections: {
    risk: "an account is one's before the person has shown at the issuer who they are",
    test: "test/harness/connect-by-sign-in.test.ts",
    title: "is active when its subject signed in at the issuer, and not before",
    tries: ["T52"],
  },
  park: {
    risk: "what waits runs before the person has signed in, or not when they have",
    test: "test/harness/connect-by-sign-in.test.ts",
    title: "runs what waited for the account when its subject signed in",
    tries: [],
  },
  "made keys": {
    risk: "a program goes on when the key that let it in was revoked",
    test: "test/features/sign-in/http/sign-in-desk.test.ts",
    title:
      "T51 refuses a token 30 seconds after its key has ended, at the latest, and gives none for it at once",
    tries: ["T51"],
    also: { F15: "while a key cannot be looked up" },
  },
  runs: {
    risk: "a program's token reads what its key ran",
    test: "test/harness/sign-in.test.ts",
    title: "T51 never has a right of its key besides calling tools",
    tries: ["T51"],
  },
  rerun: {
    risk: "a program's token runs again what it may not call",
    test: "test/harness/sign-in.test.ts",
    title: "T51 never has a right of its key besides calling tools",
    tries: ["T51"],
  },
  undo: {
    risk: "a program's token takes back what its key wrote",
    test: "test/harness/sign-in.test.ts",
    title: "T51 never has a right of its key besides calling tools",
    tries: ["T51"],
  },
  endpoints: {
    risk: "a program's token publishes events by its key's flag",
    test: "test/features/sign-in/sign-in.test.ts",
    title:
      "T51 is the key, narrowed, with its quota, its makers and its end, and no right besides calling tools",
    tries: ["T51"],
  },
  portal: {
    apart:
      "a token has none of its key's flags, so it makes no link; a link is no key, so it lets no program in",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "a program that an operator let in sees all tenants",
    test: "test/features/sign-in/sign-in.test.ts",
    title:
      "T51 is the key, narrowed, with its quota, its makers and its end, and no right besides calling tools",
    tries: ["T51"],
  },
  "export and restore": {
    risk: "an export has a program's tokens",
    test: "test/harness/sign-in.test.ts",
    title: "are in the tenant's export for a key with manage_keys, and end with its data",
    tries: ["P7"],
  },
  deletion: {
    risk: "a program that is signing in stays signed in to a tenant that is gone",
    test: "test/cloudflare/sign-in-store.test.ts",
    title: "F37 takes nothing of an owner that was forgotten after the request came, after an eviction too",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "what a refresh leaves is sealed under the token itself, by a vault of its own",
    file: "src/features/sign-in/http/refresh-once.ts",
    line: "const vault = vaultOf(proof, ports);",
  },
};
