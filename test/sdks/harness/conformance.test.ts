import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, expect, test } from "vitest";

import {
  REVISIONS,
  runScenario,
  runSuite,
  startFixtures,
  TASK_SCENARIOS,
} from "../support/conformance-suite.ts";

const fixtures = await startFixtures();
afterAll(() => fixtures[Symbol.asyncDispose]());

test.each(REVISIONS)(
  "The official suite finds of revision %s nothing amiss beyond its baseline",
  async (revision) => {
    const { passed, report } = await runSuite(fixtures.url, revision);
    expect(passed, report).toBe(true);
  },
);

test.each(TASK_SCENARIOS)(
  "The official suite finds in its scenario %s nothing amiss beyond the baseline of tasks",
  async (scenario) => {
    const { passed, report } = await runScenario(fixtures.url, scenario);
    expect(passed, report).toBe(true);
  },
);

test.each([
  ["modern", "test_tool_with_progress", {}],
  ["legacy", "test_tool_with_progress", {}],
  ["modern", "invoke_tool", { tool_name: "test_tool_with_progress" }],
  ["legacy", "invoke_tool", { tool_name: "test_tool_with_progress" }],
] as const)(
  "The official client of the %s era is told what a tool reports, by %s",
  async (era, name, args) => {
    const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${fixtures.url}/mcp?surface=flat`)));
    const told: unknown[] = [];
    const result = await client.callTool(
      { name, arguments: args },
      { onprogress: (report) => void told.push(report) },
    );
    expect(told).toEqual([
      { progress: 0, total: 100, message: "0 of 100" },
      { progress: 50, total: 100, message: "50 of 100" },
      { progress: 100, total: 100, message: "100 of 100" },
    ]);
    expect(result.structuredContent).toEqual({ data: "All of it is done." });
    await client.close();
  },
);
