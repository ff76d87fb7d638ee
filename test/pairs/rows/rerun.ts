import type { RowOf } from "../matrix.ts";

export const row: RowOf<"rerun"> = {
  undo: {
    risk: "a rerun of what was taken back sends what stands a second time",
    test: "test/features/undo/http/undone-runs.test.ts",
    title: "runs only what was taken back, and answers what stands",
    tries: ["P9", "T56"],
  },
  endpoints: {
    risk: "a rerun publishes an event a second time",
    test: "test/pairs/again.test.ts",
    title: "a rerun publishes no event again that its run published",
    tries: ["T56"],
  },
  portal: {
    apart:
      "a portal link reaches its own customer's endpoints and deliveries, and no run; only a key runs one again",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "a rerun counts again what it answered from the run before",
    test: "test/pairs/again.test.ts",
    title: "a rerun counts for who operates what it ran, and not again what it answered from the run before",
    tries: [],
  },
  "export and restore": {
    risk: "a run that was put back is run again here, though it ran on where it came from",
    test: "test/features/runs/http/restore-runs.test.ts",
    title:
      "T56 gives runs that are looked at only: none is run again here, whatever was done with it since where it ran, and bulk leaves it out",
    tries: ["T56"],
  },
  deletion: {
    risk: "a run of a tenant that is gone is run again",
    test: "test/pairs/again.test.ts",
    title: "F37 a run of a tenant that was deleted has no %s, and sends nothing any more",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "a rerun goes by the names of accounts, and keeps no token",
    file: "src/features/runs/http/run-desk.ts",
    line: "return subject === undefined ? {} : { subject, connections };",
  },
};
