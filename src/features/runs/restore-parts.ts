import { type JsonObject, objectsOf, type Restore } from "../../feature/schema.ts";

/** Characters of one request's runs: a run with the most that is kept of it is a quarter of that. */
const RUNS_CHARACTERS = 1_000_000;

/** Make the steps that put runs back, the newest first as an export has them, in as many requests as they need. */
export const restoreRunParts: Restore = (exported) => {
  const parts: JsonObject[][] = [];
  let left = 0;
  for (const run of objectsOf(exported)) {
    const size = JSON.stringify(run).length;
    if (size > left) {
      parts.push([]);
      left = RUNS_CHARACTERS;
    }
    parts.at(-1)!.push(run);
    left -= size;
  }
  return parts.map((runs) => ({
    label: `${runs.length} runs`,
    requests: [{ method: "PUT", path: "/v1/runs", body: { runs } }],
  }));
};
