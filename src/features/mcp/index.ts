import type { Feature } from "../../edge/feature.ts";
import { answerMcp } from "./http/answer-mcp.ts";
import { makeMcpOperation } from "./http/operation.ts";
import { ok } from "../../kit/result.ts";

/** A server of the Model Context Protocol at `/mcp`. */
export function mcp(): Feature {
  return {
    name: "mcp",
    needs: ["discovery"],
    routes: [
      {
        // The protocol says which methods there are.
        method: "ALL",
        path: "/mcp",
        handle: async (request, context) => ok(await answerMcp(request, context)),
        describe: makeMcpOperation,
      },
    ],
  };
}
