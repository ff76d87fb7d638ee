import type { WireTool } from "../../src/console/kit/wire.ts";

/** Three tools as `GET /v1/tools` lists them. */
export const TOOLS: readonly WireTool[] = [
  {
    name: "search-places",
    description: "Find places. Gives id and name.",
    input_schema: {
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer", default: 5 } },
      required: ["query"],
      additionalProperties: false,
    },
    "x-orchestration": {},
  },
  {
    name: "send_mail",
    description: "Send an email.",
    input_schema: {
      type: "object",
      properties: {
        kind: { enum: ["plain", "html"] },
        to: { type: "string" },
        body: { type: "string" },
      },
      required: ["to", "body"],
      additionalProperties: false,
    },
    "x-orchestration": {},
  },
  {
    name: "read-place",
    description: "Read a place.",
    input_schema: {
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
      "x-orchestration": { depends_on: [{ tool: "search-places", required_fields: ["id"] }] },
    } as WireTool["input_schema"],
    "x-orchestration": {},
  },
];
