import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { routeUpstream } from "../sandbox/upstreams/route-upstream.ts";
import { TestWorld } from "../support/execute-batch.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const readme = await readFile(join(ROOT, "README.md"), "utf8");
const firstTool = await readFile(join(ROOT, "docs/first-tool.md"), "utf8");
const FIRST_PAGES = ["tool", "model", "deploy"].map((name) => `docs/first-${name}.md`);

/** The first block of a language, or the first that contains `part`. */
function blockOf(page: string, language: string, part: string): string {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const found = blocks.find(([, name, text]) => name === language && text!.includes(part));
  if (found === undefined) throw new Error(`The page has no ${language} block with '${part}'`);
  return found[2]!;
}

describe("the first tool of docs/first-tool.md", () => {
  const block = (language: string, part = ""): string => blockOf(firstTool, language, part);
  let folder: string;

  beforeEach(async () => {
    // Inside the repository, so that `zod` is found as it is from src; `dist` is not under version control.
    await mkdir(join(ROOT, "dist"), { recursive: true });
    folder = await mkdtemp(join(ROOT, "dist", "readme-"));
    await writeFile(join(folder, "tool.ts"), block("ts").replaceAll('"../', '"../../src/'));
    const worker = await readFile(join(ROOT, "src/worker.ts"), "utf8");
    const own = block("ts", "./tools/").replace("./tools/get-exchange-rate.ts", "./tool.ts");
    const edited = worker.replace(
      "  tools: [...SHIPPED_TOOLS, publishEvent, confirmConnection],\n",
      block("ts", "tools:"),
    );
    expect(edited).not.toBe(worker);
    await writeFile(
      join(folder, "worker.ts"),
      `${own}${edited.replaceAll(/"\.\/(?=features|package)/g, '"../../src/')}`,
    );
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test("declares its tool in 12 lines", () => {
    const declaration = /defineTool\(\{\n(.*?)^\}\);/ms.exec(block("ts"))![1]!;
    expect(declaration.trimEnd().split("\n")).toHaveLength(12);
  });

  test("compiles", async () => {
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../config/tsconfig.base.json",
        compilerOptions: { lib: ["ES2024", "ESNext.Disposable"], types: ["@cloudflare/workers-types"] },
        files: ["worker.ts"],
      }),
    );
    await run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder]);
  });

  test("runs as the text says, and reaches only the host it declares", async () => {
    await writeFile(
      join(folder, "run.ts"),
      `import { registerHooks } from "node:module";
       import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
       // The module that only the platform has.
       const platform = "data:text/javascript,export class DurableObject {}; export const env = {}";
       registerHooks({
         resolve: (name, context, next) =>
           name === "cloudflare:workers" ? { url: platform, shortCircuit: true } : next(name, context),
       });
       const { default: app } = await import("./worker.ts");
       const sent = [];
       globalThis.fetch = async (url) => {
         sent.push(url);
         return Response.json({ rates: { EUR: 0.9 } });
       };
       const quota = { allowed: true, remaining: 9, resetMs: 0, retryAfterMs: 0 };
       const admitted = { quota, denied: [], recorded: [], refusedJobs: [], leases: [] };
       const hash = Buffer.from(await digestKey("key")).toString("hex");
       const env = {
         VOLLEY_KEYS: JSON.stringify([{ name: "me", tools: ["*"], hash }]),
         VOLLEY_LOG: "off",
         TENANT_GATE: { idFromName: (name) => name, get: () => ({ since: async () => ({ answer: admitted }) }) },
       };
       const request = new Request("https://volley.test/v1/execute_actions", {
         method: "POST",
         headers: { authorization: "Bearer key", "content-type": "application/json" },
         body: process.argv[2],
       });
       const answer = await app.fetch(request, env, { waitUntil: () => {} });
       console.log(JSON.stringify({ sent, answer: await answer.json() }));
       process.exit();`,
    );
    const body = /-d '(.*get_exchange_rate.*)'/.exec(firstTool)![1]!;
    const { stdout } = await run(process.execPath, [join(folder, "run.ts"), body]);

    expect(JSON.parse(stdout)).toMatchObject({
      sent: ["https://api.frankfurter.dev/v1/latest?base=USD&symbols=EUR"],
      answer: { results: [{ tool: "get_exchange_rate", status: "success", data: { rates: { EUR: 0.9 } } }] },
    });
  });
});

describe("the README's commands", () => {
  test("are what CI runs, and after them the tests that they leave out", async () => {
    const ci = await readFile(join(ROOT, ".ci/run"), "utf8");
    const [, pattern = ""] = /grep -E '(.+)' README\.md/.exec(ci) ?? [];
    const run = readme.split("\n").filter((line) => new RegExp(pattern).test(line));

    expect(run).toEqual(["npm ci && npm run demo", "npm ci && npm test"]);
    expect(ci).toContain("npm run -s test:rest");
  });

  test("exist, as those of the first pages do", async () => {
    const pages = await Promise.all(FIRST_PAGES.map((page) => readFile(join(ROOT, page), "utf8")));
    const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...[readme, ...pages].join("\n").matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name!);

    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

test("the README's batch gets the answer printed under it", async () => {
  const body = /-d '(.*?)'/s.exec(
    blockOf(readme, "bash", "curl -s http://127.0.0.1:8787/v1/execute_actions"),
  )![1]!;
  const printed = blockOf(readme, "text", '"batch_id"');
  const world = new TestWorld();
  for (const name of ["RESEND_API_KEY", "EMAIL_FROM", "GOOGLE_MAPS_API_KEY", "BRAVE_SEARCH_API_KEY"])
    world.secrets.set(name, "sandbox_key");
  world.fetch = (url, init) => routeUpstream(new Request(url, init), INSTANT_PORTS)!;

  const envelope = await world.run(SHIPPED_TOOLS, JSON.parse(body));

  for (const { index, id, tool, status } of envelope.results) {
    const head = JSON.stringify({ index, id, tool, status }).slice(1, -1);
    expect(squeeze(printed)).toContain(squeeze(head));
  }
  const failed = envelope.results.find(({ error }) => error !== undefined)!;
  expect(squeeze(printed)).toContain(squeeze(JSON.stringify(failed.error)));
  expect(squeeze(printed)).toContain(squeeze(JSON.stringify(envelope.summary)));
});

test("the README has at most 150 lines, and its first answer gains by references", () => {
  expect(readme.split("\n").length).toBeLessThanOrEqual(151);
  expect(blockOf(readme, "bash", "curl -s")).toContain("$ref");
  const [, duration, sequential] =
    /"duration_ms": (\d+), .*"sequential_ms": (\d+)/.exec(blockOf(readme, "text", '"batch_id"')) ?? [];
  expect(Number(duration)).toBeLessThan(Number(sequential));
  expect(readme).toContain(`${sequential} ms of calls in ${duration}`);
});

test("the README's figures beside others are those of the pages that measure them", async () => {
  const [tasks = "", peers = ""] = await Promise.all(
    ["lab/bench/tasks/report.md", "lab/peers/report.md"].map((page) => readFile(join(ROOT, page), "utf8")),
  );
  /** The cells of the first row that begins so, behind its name. */
  const cells = (page: string, begin: string): readonly string[] =>
    page
      .slice(page.indexOf(`| ${begin} |`) + begin.length + 4)
      .split("\n", 1)[0]!
      .split("|")
      .map((cell) => cell.trim());
  const task = (name: string, way: string): { rounds: string; seconds: string; tokens: string } => {
    const [rounds = "", seconds, , , tokens = ""] = cells(tasks, `${name} | ${way}`);
    return { rounds, seconds: Number(seconds).toFixed(1), tokens };
  };
  const [alone, batch] = ["calls in parallel", "Volley"].map((way) => task("Movie Recommendation", way));
  const [levels, references] = ["calls in parallel", "Volley"].map((way) =>
    task("ParallelQA, 2 entities", way),
  );
  const [sdk, graph, volley, background] = [
    "AI SDK `generateText`",
    "LangGraph `ToolNode`",
    "Volley, no slots, as the others here",
    "Volley, every call in the background",
  ].map((name) => Number(cells(peers, name)[0]).toLocaleString("en-US"));
  for (const part of [
    `the model's own calls take ${alone!.seconds} s and ${alone!.tokens} tokens; Volley takes ${batch!.seconds} s and ${batch!.tokens} tokens.`,
    `the model's own calls take ${levels!.rounds} rounds and ${levels!.seconds} s; Volley takes ${references!.rounds} rounds and ${references!.seconds} s`,
    `AI SDK ${sdk} and LangGraph ${graph} batches a second, Volley ${volley}: [peers]`,
    `in the background: ${background} batches a second`,
  ])
    expect(readme).toContain(part);
});

/** Line breaks were added to the printed answer; nothing else may differ. */
function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
