import type { Feature } from "../../core/edge/feature.ts";
import { answerMcp } from "./http/answer-mcp.ts";
import { makeMcpOperation } from "./http/operation.ts";
import { routerOf } from "../../core/edge/openapi/endpoint.ts";

/** A server of the Model Context Protocol at `/mcp`. */
export function mcp(): Feature {
  return {
    name: "mcp",
    needs: ["discovery"],
    // The protocol says which methods there are.
    router: routerOf("any key", [{ path: "/mcp", describe: makeMcpOperation, respond: answerMcp }]),
  };
}
