import { ORCHESTRATION_DIALECT, orchestrateBatch, orchestratePartition } from "./http/endpoints.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";

/** The Orchestration API, `/api/orchestration/*`: tool calls in batches of reads, with every write alone. */
export function orchestration(): Feature {
  return {
    name: "orchestration",
    router: routerOf("any key", [orchestrateBatch, orchestratePartition]),
    dialects: [ORCHESTRATION_DIALECT],
  };
}
