import type { RowOf } from "../matrix.ts";

export const row: RowOf<"runs"> = {
  rerun: {
    risk: "a run is sent again where it may have happened, without a question",
    test: "test/features/runs/rerun/run-rerun.test.ts",
    title:
      "answers a write that succeeded, runs one that certainly did not happen, and asks before one that may have",
    tries: ["T56"],
    also: { T60: "draws a unit where nothing is to run again", T61: "without a filter is refused" },
  },
  undo: {
    risk: "a run does not say that its writes were taken back",
    test: "test/features/undo/http/undone-runs.test.ts",
    title:
      "shows each entry with its times, its tries and its job, and is 'undone' in the list and its filter",
    tries: ["P9"],
  },
  endpoints: {
    risk: "a run does not lead to what it published",
    test: "test/features/endpoints/http/via.test.ts",
    title: "name it, are listed by it, and the run says where they are",
    tries: [],
  },
  portal: {
    risk: "a customer learns which run published its event",
    test: "test/features/endpoints/http/portal.test.ts",
    title: "T54 a delivery shows its customer the body that was sent, and not the run that published it",
    tries: ["T54"],
  },
  operator: {
    risk: "the overview shows arguments or results of a tenant's runs",
    test: "test/features/operator/http/operator.test.ts",
    title: "T03 shows counts alone: no argument, result, id or key of a tenant is in an overview",
    tries: ["T03"],
  },
  "export and restore": {
    risk: "a run that came back has lost its order or its digits",
    test: "test/features/runs/http/restore-runs.test.ts",
    title: "takes back the runs of an export: their order, their times, every digit, and each once",
    tries: ["F39"],
  },
  deletion: {
    risk: "a late report brings back the run of a tenant that is gone",
    test: "test/features/runs/objects/run-log.test.ts",
    title:
      "F37 An erased log takes no late report of what had begun before, nor of its jobs, after a restart either",
    tries: ["F37"],
  },
  "vault rotation": {
    apart: "a run has every secret taken out; what is sealed has an owner and a use, and no run is one",
    file: "src/cloudflare/vault.ts",
    line: "export type SealedFor = readonly [tenant: string, ...owner: string[], use: string];",
  },
};
