/** What `tools/list` shows: the batch and the discovery tools, the batch that describes every tool, or every tool too. */
export const MCP_SURFACES = ["meta", "batch", "flat"] as const;

export type McpSurface = (typeof MCP_SURFACES)[number];
