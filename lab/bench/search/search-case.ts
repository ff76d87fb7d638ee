import * as z from "zod";

import { defineTool, type Tool } from "../../../src/core/catalog/define-tool.ts";

/** A catalogue and what is asked of it. */
export interface SearchCase {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly requests: readonly SearchRequest[];
}

export interface SearchRequest {
  readonly text: string;
  /** Names of the tools it needs. */
  readonly needs: readonly string[];
  /** Whether any one of them is enough, or each is needed. */
  readonly anyOf?: boolean;
}

/** A tool as a published catalogue describes it. */
export interface PublishedTool {
  readonly name: string;
  readonly description: string;
  /** Its first sentence, unless the catalogue has one of its own. */
  readonly summary?: string;
  readonly category?: string;
}

/** Every tool once; of two with one name the first, as published lists repeat them with other words. */
export function toTools(published: readonly PublishedTool[]): readonly Tool[] {
  return [...new Map(published.toReversed().map((tool) => [toName(tool.name), tool])).values()].map(toTool);
}

/** A published name in the letters that a tool's name may have: `triangle.get` as `triangle_get`. */
export function toName(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^[^A-Za-z]+/, "")
    .slice(0, 64);
}

/** A tool as a deployment would declare it: of the texts only what was published, and nothing that could run. */
function toTool({ name, description, summary, category = "tools" }: PublishedTool): Tool {
  const first = summary ?? /^.+?[.!?](?=\s|$)/s.exec(description)?.[0] ?? description;
  return defineTool({
    name: toName(name),
    summary: first.trim() || name,
    description: description.trim() || name,
    category:
      category
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "-")
        .replaceAll(/^[^a-z]+|-$/g, "")
        .slice(0, 64) || "tools",
    actions: ["call"],
    isWrite: false,
    execution: "sync",
    input: z.strictObject({}),
    hosts: [],
    orchestration: { mode: "parallel-safe" },
    run: () => Promise.reject(new Error("Cannot run: the catalogue is for looking at")),
  });
}
