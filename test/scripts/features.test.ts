import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";

import { bundleWorkers, readFeatures, writeWorker } from "../../scripts/features.ts";
import { measureStartUp } from "../../scripts/features/measure-start-up.ts";

/** Words that only the code of a feature has: a path, a class or a message of its own. */
const MARKS: Readonly<Record<string, string>> = {
  "added-tools": "/v1/tools/:id",
  agent: "/v1/chat/completions",
  background: "/v1/jobs/:id/results",
  confirmations: "CREATE TABLE IF NOT EXISTS confirmations",
  connections: "/v1/connections/callback",
  console: "Open the console",
  cors: "access-control-allow-origin",
  discovery: "/v1/discover_tools",
  docs: "There is no such page of the documentation",
  document: "This document",
  endpoints: "/v1/endpoints",
  flows: "/hooks/:tenant/:id",
  formats: "/v1/gemini/function_calls",
  imports: "/v1/tools/import",
  keys: "/v1/keys",
  mcp: "/mcp",
  models: "/v1/models",
  objects: "/v1/objects/",
  operator: "/v1/operator/overview",
  orchestration: "/api/orchestration/batch",
  responses: "/v1/responses",
  runs: "/v1/runs",
  "sign-in": "/v1/sign_ins",
  "tenant-data": "/v1/export",
  tokens: "159507bc00k00d00i20i2jg70b",
  undo: "CREATE TABLE IF NOT EXISTS undo_runs",
  usage: "/v1/usage",
  workspace: "CREATE TABLE IF NOT EXISTS files",
};

const features = readFeatures();
const kib = (code: string): number => gzipSync(code).length / 1024;

/** The Worker without a feature, that with all, two gateways, and one for each feature with those that it needs. */
const GATEWAYS = { "an MCP gateway": ["discovery", "mcp"], "an agent gateway": ["discovery", "agent"] };
let core: string;
let all: string;
let gateways: ReadonlyMap<string, string>;
let withFeature: ReadonlyMap<string, string>;
const writeListed = (names: readonly string[]): string =>
  writeWorker(features.filter(({ name }) => names.includes(name)));

beforeAll(async () => {
  const own = features.map(({ name, needs }) => writeListed([name, ...needs]));
  const lists = Object.entries(GATEWAYS);
  const [first, second, ...others] = await bundleWorkers([
    writeWorker([]),
    writeWorker(features),
    ...lists.map(([, names]) => writeListed(names)),
    ...own,
  ]);
  core = first!;
  all = second!;
  gateways = new Map(lists.map(([name], at) => [name, others[at]!]));
  withFeature = new Map(features.map(({ name }, at) => [name, others[lists.length + at]!]));
}, 300_000);

describe("The bundle of a Worker", () => {
  test("with one tool and no feature takes at most 141 KiB gzipped", () => {
    expect(kib(core)).toBeLessThanOrEqual(141);
  });

  test("with every feature and one tool takes at most 583.5 KiB gzipped", () => {
    expect(kib(all)).toBeLessThanOrEqual(583.5);
  });

  test.each([
    ["an MCP gateway", 180.9],
    ["an agent gateway", 206.8],
  ])("that is %s takes at most %s KiB gzipped", (name, most) => {
    expect(kib(gateways.get(name)!)).toBeLessThanOrEqual(most);
  });

  test("has ASCII only: with one other character V8 keeps two bytes for each", () => {
    const others = [core, all].flatMap((code) => code.match(/.{0,40}\P{ASCII}.{0,40}/gu) ?? []);
    expect(others).toEqual([]);
  });

  test.each(features.map(({ name }) => name))("has nothing of %s unless it is listed", (name) => {
    const mark = MARKS[name]!;
    expect(withFeature.get(name)!.includes(mark)).toBe(true);
    expect(core.includes(mark)).toBe(false);
  });
});

test("docs/features.md has a row for each feature, with its weight and what its start takes", async () => {
  const page = await readFile("docs/features.md", "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| [^|]+ \| \d+\.\d \| \d+\.\d \|/gm)].map(
    ([, name]) => name,
  );
  expect(rows).toEqual(features.map(({ name }) => name));
});

test("Loading a bundle takes some of a processor, whatever it asks the platform for", async () => {
  const code = `import { DurableObject, env } from "cloudflare:workers"; import text from "./page.txt"; void [DurableObject, env, text];`;
  const [ms] = await measureStartUp([code]);
  expect(ms).toBeGreaterThan(0);
});
