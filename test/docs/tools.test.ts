import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";

import { describeTools, printTools } from "../../scripts/catalogue/describe-tools.ts";
import { readConfigured } from "../../scripts/catalogue/read-configured.ts";
import { type ListedTool, readVolleyTools } from "../../scripts/catalogue/read-tools.ts";
import { TOOL_EXAMPLES } from "../../scripts/docs/tool-examples.ts";
import { makeToolsPage } from "../../scripts/docs/tools-page.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { resetGmail } from "../sandbox/upstreams/gmail.ts";
import { resetGoogleCalendar } from "../sandbox/upstreams/google-calendar.ts";
import { resetGoogleTasks } from "../sandbox/upstreams/google-tasks.ts";
import { contractOf } from "../support/fake-actions.ts";
import { runTool } from "../support/run-tool.ts";
import { trial } from "../support/trial.ts";

const tools = await readVolleyTools();
const page = await readFile(new URL("../../docs/tools.md", import.meta.url), "utf8");

test("docs/tools.md is what the declarations say; npm run tools -- --write brings it up to date", () => {
  expect(makeToolsPage(tools, TOOL_EXAMPLES) === page, "run: npm run tools -- --write").toBe(true);
});

test("docs/tools.md has a section with an example for every tool", () => {
  const sections = page.split(/^### /m).slice(1);
  expect(sections.map((section) => section.slice(0, section.indexOf("\n"))).toSorted()).toEqual(
    tools.map(({ tool }) => tool.name).toSorted(),
  );
  for (const section of sections) expect(section).toMatch(/Example:\n\n```json\n[^]*Answer:\n\n```json\n/);
});

test.each(tools.filter(({ tool }) => tool.name in TOOL_EXAMPLES).map(({ tool }) => tool))(
  "the example of $name has arguments that the tool takes",
  ({ name, input }) => {
    expect(z.safeParse(input, TOOL_EXAMPLES[name]!.args).error?.issues).toBeUndefined();
  },
);

// Changes that other tests made to the stand-ins are not in the page.
beforeAll(() => {
  resetGoogleCalendar();
  resetGmail();
  resetGoogleTasks();
});

trial.each(SHIPPED_TOOLS.filter(({ name, bindings }) => bindings.length === 0 && name in TOOL_EXAMPLES))(
  "the example of $name answers in the sandbox what the page says",
  async (tool) => {
    const { args, answer } = TOOL_EXAMPLES[tool.name]!;
    expect(await runTool(tool, args).output).toEqual(answer);
  },
);

const listed = (name: string, more: object, rest: Partial<ListedTool> = {}): ListedTool => ({
  tool: contractOf(name, { hosts: ["api.example.com"], ...more }),
  source: "shipped",
  isServed: true,
  ...rest,
});
const CATALOGUE = [
  listed("look_up", {}),
  listed("roam", {
    hosts: "public",
    secrets: ["KEY"],
    orchestration: { mode: "fan-out-bounded", max_concurrency: 5 },
  }),
  listed("remove", {
    isWrite: true,
    actions: ["delete"],
    hosts: ["a.example.com", "b.example.com"],
    secrets: ["KEY", "OTHER_KEY"],
    bindings: ["DATA"],
  }),
  listed(
    "keep",
    {
      hosts: [],
      bindings: ["DATA"],
      orchestration: { mode: "parallel-safe", rate_limit: { limit: 5, window_s: 60, scope: "tenant" } },
    },
    { source: "opt-in", isServed: false },
  ),
];
const CONFIGURED = { secrets: new Set(["KEY"]), bindings: new Set(["DATA"]) };

test("npm run tools lists what every tool is, promises and needs, in columns", () => {
  expect(printTools(describeTools(CATALOGUE, CONFIGURED))).toMatchInlineSnapshot(`
    "TOOL      CATEGORY  DOES   CONTRACT                    HOSTS            NEEDS
    look_up   test      read   parallel-safe               api.example.com  nothing
    roam      test      read   fan-out-bounded, at most 5  any public host  ✓ KEY
    remove    test      write  parallel-safe               a.example.com    ✓ KEY
                               a person confirms           b.example.com    ✗ OTHER_KEY
                                                                            ✓ DATA (binding)
    keep      test      read   parallel-safe               none declared    ✓ DATA (binding)
      opt-in                   5 per 60 s, tenant                           ✗ not in src/worker.ts

    3 tools are served, 2 of them are configured. Of Volley's tools 1 are not in src/worker.ts.
    "
  `);
});

test("npm run tools -- --json says the same, and no value of a secret", () => {
  expect(describeTools(CATALOGUE, CONFIGURED)[2]).toEqual({
    name: "remove",
    category: expect.any(String),
    source: "shipped",
    ready: false,
    served: true,
    is_write: true,
    execution: "sync",
    contract: { mode: "parallel-safe", on_error: "fail-fast", confirm: "always" },
    hosts: ["a.example.com", "b.example.com"],
    secrets: [
      { name: "KEY", configured: true },
      { name: "OTHER_KEY", configured: false },
    ],
    bindings: [{ name: "DATA", configured: true }],
  });
});

test("what is configured is read from this folder's files and the environment; empty text is nothing", async () => {
  const path = await mkdtemp(join(tmpdir(), "volley-tools-"));
  const folder = pathToFileURL(`${path}/`);
  await writeFile(join(path, ".dev.vars"), 'FROM_DEV_VARS="a value"\nEMPTY_IN_DEV_VARS=\n# COMMENT=1\n');
  await writeFile(
    join(path, "wrangler.toml"),
    [
      'name = "fixture"',
      '[vars]\nFROM_VARS = "x"',
      '[[d1_databases]]\nbinding = "DATA"\ndatabase_name = "data"',
      '[[r2_buckets]]\nbinding = "BUCKET"\nbucket_name = "bucket"',
      '[[durable_objects.bindings]]\nname = "OBJECT"\nclass_name = "Object"',
    ].join("\n"),
  );
  const { secrets, bindings } = await readConfigured(folder, { FROM_ENVIRONMENT: "x", EMPTY: "" });
  expect([...secrets].toSorted()).toEqual(["FROM_DEV_VARS", "FROM_ENVIRONMENT", "FROM_VARS"]);
  expect([...bindings].toSorted()).toEqual(["BUCKET", "DATA", "OBJECT"]);
  await rm(path, { recursive: true });
  expect(await readConfigured(folder, {})).toEqual({ secrets: new Set(), bindings: new Set() });
});
