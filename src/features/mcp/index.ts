import { defineFeature } from "../../feature/define.ts";
import { givenBy } from "../../feature/gives.ts";
import { answerMcp } from "./http/answer-mcp.ts";
import { makeMcpOperation } from "./http/describe-mcp.ts";
import type { ProtocolRoute } from "../../cloudflare/openapi/route.ts";

const SLASH = /^(https?:\/\/[^/?#]+\/mcp)\/(?=$|[?#])/;

/** Read `/mcp/` as `/mcp`: people type the address of a server either way. */
function withoutSlash(request: Request): Request {
  return SLASH.test(request.url) ? new Request(request.url.replace(SLASH, "$1"), request) : request;
}

/** A server of the Model Context Protocol at `/mcp`. */
export function mcp() {
  return defineFeature({
    name: "mcp",
    needs: ["discovery"],
    variables: { VOLLEY_HOSTS: {} },
    around: (next) => (request, env, ctx) => next(withoutSlash(request), env, ctx),
    // The protocol says which methods there are.
    routes: (features) => {
      const [withdraw] = givenBy(features, "withdraw");
      const parts = { withdraw };
      const respond: ProtocolRoute["respond"] = (request, context) => answerMcp(request, context, parts);
      return [{ for: "any key", paths: [{ path: "/mcp", describe: makeMcpOperation, respond }] }];
    },
  });
}
