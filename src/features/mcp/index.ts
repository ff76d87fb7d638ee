import { type Feature, partOf } from "../../core/edge/feature.ts";
import { answerMcp } from "./http/answer-mcp.ts";
import { makeMcpOperation } from "./http/operation.ts";
import { type ProtocolEndpoint, routerOf } from "../../core/edge/openapi/endpoint.ts";

/** A server of the Model Context Protocol at `/mcp`. */
export function mcp(): Feature {
  return {
    name: "mcp",
    needs: ["discovery"],
    // The protocol says which methods there are.
    router: (features) => {
      const jobRuns = features.flatMap((feature) => feature.jobRuns ?? []);
      const parts = { jobRuns, withdraw: partOf(features, "withdraw") };
      const respond: ProtocolEndpoint["respond"] = (request, context) => answerMcp(request, context, parts);
      return routerOf("any key", [{ path: "/mcp", describe: makeMcpOperation, respond }]);
    },
  };
}
