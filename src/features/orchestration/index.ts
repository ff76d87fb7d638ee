import { defineFeature } from "../../feature/define.ts";
import { orchestrateBatch, orchestratePartition, ORCHESTRATION_DIALECT } from "./http/routes.ts";

/** The Orchestration API, `/api/orchestration/*`: tool calls in batches of reads, with every write alone. */
export function orchestration() {
  return defineFeature({
    name: "orchestration",
    routes: [{ for: "any key", paths: [orchestrateBatch, orchestratePartition] }],
    dialects: [ORCHESTRATION_DIALECT],
  });
}
