import * as z from "zod/mini";

import { describeSurface, TOOL_SURFACES } from "../tool-surface.ts";
import { parseChoice, refuseOtherParameters } from "../../../core/contract/parse-request.ts";
import { fitTools } from "../fit-tools.ts";
import { TOOL_FORMATS, toToolList } from "../tool-list.ts";
import { err } from "../../../core/kit/result.ts";
import { respondCounted } from "../../../cloudflare/http/respond-counted.ts";
import type { Endpoint } from "../../../cloudflare/openapi/endpoint.ts";

/** `GET /v1/tools?format=&surface=`: the caller's tools, ready to paste into a model call. */
export const listTools: Endpoint = {
  route: "GET /v1/tools",
  runsNothing: true,
  async handle(request, context) {
    const { catalog } = context;
    const query = new URL(request.url).searchParams;
    const other = refuseOtherParameters(query, ["format", "surface"]);
    if (other !== null) return err(other);
    const format = parseChoice(query, "format", TOOL_FORMATS);
    if (!format.ok) return format;
    const surface = parseChoice(query, "surface", TOOL_SURFACES);
    if (!surface.ok) return surface;
    const list = fitTools(catalog, (shown, leftOut) => {
      const described = describeSurface(surface.value ?? "batch", shown);
      const tools = toToolList(described, format.value ?? "json-schema");
      return JSON.stringify({ tools, ...(leftOut > 0 && { left_out: leftOut }) });
    });
    return respondCounted(list, context);
  },
  describe: () => ({
    id: "listTools",
    summary: "List the tools, ready to paste into a model call",
    tag: "Discovery",
    query: z.strictObject({
      format: z.optional(z.enum(TOOL_FORMATS)),
      surface: z.optional(z.enum(TOOL_SURFACES)),
    }),
    answer: {
      description: "The tools in the format asked for",
      schema: z
        .strictObject({
          tools: z
            .array(z.looseObject({}))
            .check(z.describe("In the format's own shape, ready to paste into a model call")),
          left_out: z
            .optional(z.int().check(z.minimum(1)))
            .check(z.describe("How many tools are missing, where all of them would be too large")),
        })
        .register(z.globalRegistry, { id: "ToolList" }),
    },
  }),
};
