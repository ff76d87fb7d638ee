import type { Discovery } from "../../core/catalog/catalog.ts";
import { createMetaTools } from "./meta-tools.ts";
import { ToolSearch } from "./search/tool-search.ts";

/** Tools that find and describe the others, with a full-text index. */
export const DISCOVERY: Discovery = {
  metaToolsOf: createMetaTools,
  createSearch: (tools) => new ToolSearch(tools),
};
