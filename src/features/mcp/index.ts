import type { Feature } from "../../core/edge/feature.ts";
import { answerMcp } from "./http/answer-mcp.ts";
import { makeMcpOperation } from "./http/operation.ts";
import { createRouter } from "../../core/edge/http/router.ts";
import { describeRoute } from "../../core/edge/openapi/describe-route.ts";

/** A server of the Model Context Protocol at `/mcp`. */
export function mcp(): Feature {
  const router = createRouter();
  // The protocol says which methods there are.
  router.all(
    "/mcp",
    describeRoute({ path: "/mcp", describe: makeMcpOperation }, (c) =>
      answerMcp(c.req.raw, c.get("context")),
    ),
  );
  return {
    name: "mcp",
    needs: ["discovery"],
    router,
  };
}
