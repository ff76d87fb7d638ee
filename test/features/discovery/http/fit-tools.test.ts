import { describe, expect } from "vitest";
import * as z from "zod";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../../src/features/discovery/limits.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { trial } from "../../../support/trial.ts";

const COUNT = 120;
const NAMES = Array.from({ length: COUNT }, (_, n) => `large_${String(n).padStart(3, "0")}`);
const tools = NAMES.map((name) =>
  defineTool({
    name,
    summary: "Do it",
    description: "Do it.",
    category: "large",
    actions: ["read"],
    isWrite: false,
    execution: "sync",
    input: z.strictObject({ text: z.string().describe("é".repeat(40_000)) }),
    hosts: [],
    orchestration: { mode: "parallel-safe" },
    run: async () => ({}),
  }),
);
const volley = await createTestVolley({ tools, features: ALL_FEATURES });

interface List {
  readonly left_out?: number;
}

/** The tools that a list has, whatever its format. */
const countNames = (text: string): number => NAMES.filter((name) => text.includes(`"${name}"`)).length;

describe("A list of tools that are 10 MB together", () => {
  trial.each(["json-schema", "openai", "openai-responses", "anthropic", "gemini", "mcp"])(
    "has those that fit into 8 MiB, and says how many are missing: %s",
    async (format) => {
      for (const surface of ["flat", "batch"]) {
        const answer = await volley.fetch(`/v1/tools?format=${format}&surface=${surface}`);
        const text = await answer.text();
        expect(answer.status).toBe(200);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.toolListBytes);
        const { left_out: leftOut } = JSON.parse(text) as List;
        expect(leftOut).toBeGreaterThan(0);
        expect(countNames(text) + leftOut!).toBe(COUNT);
        expect(countNames(text)).toBeGreaterThan(COUNT / 2);
      }
    },
  );

  trial(
    "says so of the one tool that describes them all, where an MCP client lists it; a page of tools is smaller",
    async () => {
      const list = async (surface: string): Promise<string> => {
        const answer = await volley.fetch(`/mcp?surface=${surface}`, {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
        });
        expect(answer.status).toBe(200);
        return answer.text();
      };
      const batch = await list("batch");
      expect(Buffer.byteLength(batch)).toBeLessThanOrEqual(LIMITS.toolListBytes + 100);
      const { result } = JSON.parse(batch.replace(/^(?:event: message\n)?data: /, "")) as { result: List };
      expect(countNames(batch) + result.left_out!).toBe(COUNT);
      expect(Buffer.byteLength(await list("flat"))).toBeLessThan(LIMITS.toolListBytes);
    },
  );
});
