import type { RowOf } from "../matrix.ts";

export const row: RowOf<"undo"> = {
  endpoints: {
    risk: "a tenant does not hear of a write that could not be taken back",
    test: "test/features/undo/http/undone-runs.test.ts",
    title: "a tenant is told of a write that could not be taken back",
    tries: ["P9"],
  },
  portal: {
    apart:
      "a portal link reaches its own customer's endpoints and deliveries, and no run; only a key takes one back",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "what is taken back counts as runs and errors of its tenant",
    test: "test/pairs/again.test.ts",
    title: "what is taken back counts for who operates as no run, and the batch as the one that failed",
    tries: [],
  },
  "export and restore": {
    risk: "a run that was put back is undone a second time",
    test: "test/features/tenant-data/http/restore.test.ts",
    title:
      "F39 A restored run tells what was taken back as it did, also of what was under way, and is not undone again",
    tries: ["P9", "F39"],
  },
  deletion: {
    risk: "a run of a tenant that is gone is taken back",
    test: "test/pairs/again.test.ts",
    title: "F37 a run of a tenant that was deleted has no %s, and sends nothing any more",
    tries: ["F37"],
  },
  "vault rotation": {
    risk: "what takes a write back cannot be opened while the key is changed, or is opened as another's",
    test: "test/pairs/again.test.ts",
    title:
      "what takes a write back is opened under the vault's old key while there are two, and by the new key alone no more",
    tries: ["T03"],
  },
};
