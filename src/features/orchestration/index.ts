import { defineFeature } from "../../feature/define.ts";
import { ORCHESTRATION_DIALECT, orchestrateBatch, orchestratePartition } from "./http/endpoints.ts";

/** The Orchestration API, `/api/orchestration/*`: tool calls in batches of reads, with every write alone. */
export function orchestration() {
  return defineFeature({
    name: "orchestration",
    routes: [{ for: "any key", paths: [orchestrateBatch, orchestratePartition] }],
    dialects: [ORCHESTRATION_DIALECT],
  });
}
