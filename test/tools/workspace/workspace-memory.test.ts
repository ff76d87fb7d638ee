import { expect, test } from "vitest";

import type { FilesRead } from "../../../src/core/contract/gate/workspace.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import * as TOOL_LIMITS from "../../../src/tools/kit/limits.ts";
import { IsolateBytes } from "../../../src/core/egress/isolate-bytes.ts";
import { read } from "../../../src/tools/workspace/read.ts";
import { WORKSPACE_TOOLS } from "../../../src/tools/workspace-tools.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { createFakeLoader } from "../../support/fake-loader.ts";
import { FakeWorkspaces } from "../../support/fake-workspace.ts";
import { runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

const FIRST = LIMITS.workspaceFirstBytes;
const MIB = 1024 * 1024;

/** The workspaces as a tool finds them, each with a file of the largest size. */
function openWorkspaces(): FakeWorkspaces {
  const workspaces = new FakeWorkspaces();
  const big = new Uint8Array(LIMITS.workspaceFileBytes).fill(0x61);
  for (const tenant of ["acme", "other"])
    workspaces.of(tenant).change([
      { path: "big", content: big },
      { path: "memory/small.md", content: new Uint8Array(10) },
    ]);
  return workspaces;
}

test.each([
  ["read", { path: "memory/small.md" }, [FIRST]],
  ["read", { path: "big" }, [FIRST, 0, MIB + 3]],
  ["memory_get", { id: "small" }, [FIRST]],
  ["memory_search", { query: "a" }, [FIRST]],
  ["grep", { pattern: "b" }, [FIRST, 0, MIB + 28]],
  ["bash", { command: "true" }, [FIRST, 0, MIB + 28]],
  ["glob", { pattern: "**" }, [100 * TOOL_LIMITS.workspacePathBytes]],
])("T44 %s %j holds what it reads before it comes", async (name, args, held) => {
  const loader = createFakeLoader({
    search: { findLines: () => ({ ok: true, value: { matches: [], isCut: false } }) },
    shell: { runShell: () => ({ stdout: "", stderr: "", exitCode: 0, written: [], removed: [] }) },
  });
  const bindings = { WORKSPACES: openWorkspaces(), LOADER: loader };
  const tool = WORKSPACE_TOOLS.find((one) => one.name === name)!;
  const ran = runTool(tool, args, { bindings });
  await ran.output;
  expect(ran.held).toEqual(held);
});

trial(
  "P6: T44 twelve batches of twenty-five reads of the largest file at once have half of an isolate under way, and each is answered",
  async () => {
    const world = new TestWorld();
    const isolate = new IsolateBytes(world.clock);
    const workspaces = openWorkspaces();
    let underWay = 0;
    let most = 0;
    world.bindings.set("WORKSPACES", {
      idFromName: (name: string) => ({ name }),
      get: ({ name }: { readonly name: string }) => ({
        async read(path: string, mostBytes: number): Promise<FilesRead> {
          const found = await workspaces.of(name).read(path, mostBytes);
          const bytes =
            "files" in found ? found.files.reduce((sum, { content }) => sum + content.length, 0) : 0;
          underWay += bytes;
          if (name === "acme") most = Math.max(most, underWay);
          await world.clock.sleep(5);
          underWay -= bytes;
          return found;
        },
      }),
    });
    const runAs = (tenant: string, count: number) =>
      world.execute(
        [read],
        // Reads that are the same are one call.
        {
          actions: Array.from({ length: count }, (_, n) => ({
            tool: "read",
            args: { path: "big", limit: n + 1 },
          })),
        },
        {
          origin: { tenant, key: "tester", requestId: "request-1" },
          upstreams: { ...world.execution([]).upstreams, share: () => isolate.open(tenant, world.clock) },
        },
      );
    const large = Array.from({ length: 12 }, () => runAs("acme", 25));
    const other = runAs("other", 1);
    const answers = await Promise.all([...large, other]);

    expect(most).toBeGreaterThan(MIB);
    expect(most).toBeLessThanOrEqual(LIMITS.isolateBytes / 2);
    for (const answer of answers) expect(answer).toMatchObject({ ok: true });
    const statuses = answers.flatMap((answer) =>
      answer.ok
        ? (JSON.parse(answer.value.json) as { readonly results: readonly { readonly status: string }[] })
            .results
        : [],
    );
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set(["success"]));
    expect(statuses).toHaveLength(301);
  },
);

trial("P6: T44 reads of a thousand missing files at once are told so, each that ran", async () => {
  const world = new TestWorld();
  const workspaces = openWorkspaces();
  world.bindings.set("WORKSPACES", {
    idFromName: (name: string) => ({ name }),
    get: ({ name }: { readonly name: string }) => ({
      async read(path: string, mostBytes: number): Promise<FilesRead> {
        await world.clock.sleep(5);
        return workspaces.of(name).read(path, mostBytes);
      },
      async heads(under: string, most?: number) {
        await world.clock.sleep(5);
        return workspaces.of(name).heads(under, most);
      },
    }),
  });
  const missing = Array.from({ length: 25 }, (_, n) => `missing-${n}`);
  const answer = await world.execute([read], {
    actions: Array.from({ length: 50 }, (_, n) => ({
      tool: "read",
      for_each: missing,
      args: { path: { $ref: "item#" }, limit: n + 1 },
    })),
  });
  const json = answer.ok ? answer.value.json : "";
  expect(json).toContain('"NOT_FOUND"');
  expect(json.match(/TIMEOUT|DEADLINE_EXCEEDED|RESPONSE_TOO_LARGE|OVERLOADED/g)).toBeNull();
});
