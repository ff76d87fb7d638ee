import { execFile, spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
/** Ends what hangs: a busy machine builds and loads slowly. */
const PATIENCE = { withinMs: 170_000, everyMs: 100 };

interface Block {
  readonly language: string;
  readonly text: string;
}

let folder: string;
let port: number;
let blocks: readonly Block[];
let printed = "";
let server: ReturnType<typeof spawn>;

/** The blocks of a section, in their order, with the test's port. */
function blocksOf(page: string, title: string): Block[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(title));
  if (section === undefined) throw new Error(`Neither page has a section '${title}'`);
  const found = section.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...found].map(([, language, text]) => ({
    language: language!,
    text: text!.replaceAll("8787", String(port)),
  }));
}

function take(language: string, part: string): string {
  const found = blocks.find((block) => block.language === language && block.text.includes(part));
  if (found === undefined) throw new Error(`The README has no ${language} block with '${part}'`);
  return found.text;
}

/** Where the README puts its tool. */
const TOOL = (): string => join(folder, "src/tools/get-exchange-rate.ts");

/** Run a command of the README in the copy, and read what it prints. */
async function type<T = WireEnvelope>(command: string): Promise<T> {
  const { stdout } = await run("bash", ["-c", command], { cwd: folder });
  return JSON.parse(stdout) as T;
}

/** The part of a result that the README prints, with today's date. */
function expectPrinted(part: string, result: unknown): void {
  const shown = JSON.parse(`{${take("text", part)}}`) as { data: { date?: string } };
  if (shown.data.date !== undefined) shown.data.date = expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string;
  expect(result).toMatchObject(shown);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "volley-readme-"));
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    maxBuffer: 16 * 1024 * 1024,
  });
  const files = stdout
    .split("\0")
    .filter((path) => /^(?:src|scripts|test\/(?:sandbox|support)|migrations|config|[^/]+$)|\.md$/.test(path));
  for (const path of files) await cp(join(ROOT, path), join(folder, path));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  port = await freePort();
  const [readme = "", firstTool = ""] = await Promise.all(
    ["README.md", "docs/first-tool.md"].map((page) => readFile(join(ROOT, page), "utf8")),
  );
  blocks = [
    ...blocksOf(readme, "Send a batch"),
    ...["Your first tool", "Bring your API"].flatMap((title) => blocksOf(firstTool, title)),
  ];
  // A group of its own, so that all of it can be ended.
  // Without the runner's NODE_ENV, as a person's shell is.
  const { NODE_ENV: _, ...env } = process.env;
  server = spawn("bash", ["-c", take("bash", "npm run sandbox")], { cwd: folder, env, detached: true });
  for (const stream of [server.stdout!, server.stderr!])
    stream.on("data", (chunk: Buffer) => void (printed += stripVTControlCharacters(chunk.toString())));
  await eventually("the sandbox to answer", () => health((answer) => answer.ok), PATIENCE);
}, 180_000);
afterAll(async () => {
  process.kill(-server.pid!, "SIGTERM");
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function health(isIt: (answer: { ok: boolean; text: string }) => boolean): Promise<true | undefined> {
  if (server.exitCode !== null) throw new Error(`The sandbox ended. It printed:\n${printed}`);
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`).then(
    async (response) => ({ ok: response.ok, text: await response.text() }),
    () => null,
  );
  return answer !== null && isIt(answer) ? true : undefined;
}

describe("A reader who follows the README in a copy of the repository", () => {
  test("sends a batch and gets its five results", async () => {
    const { results, stats } = await type(take("bash", "nhtsa-recall-search"));
    expect(results.map(({ status }) => status)).toEqual([
      "success",
      "success",
      "success",
      "error",
      "initiated",
    ]);
    expect(stats.sequential_ms).toBeGreaterThan(stats.duration_ms!);
    const line =
      /^✓ shops \d+ ms {2}✓ weather \d+ ms {2}✓ reviews \d+ ms {2}✗ recalls INVALID_ARGS \/args\/year {2}→ mail goes on as a job$/m;
    await eventually("the batch in one readable line", () => line.test(printed) || undefined, PATIENCE);
    expect(printed).not.toContain('"event":"batch"');
  }, 180_000);

  test("is told where the console is, and which key to paste", async () => {
    await eventually(
      "the console's address",
      () =>
        (printed.includes(`http://127.0.0.1:${port}/console`) && printed.includes("sandbox-key")) ||
        undefined,
      PATIENCE,
    );
    const page = await fetch(`http://127.0.0.1:${port}/console`);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const [, script] = /src="([^"]+)"/.exec(await page.text())!;
    expect((await fetch(new URL(script!, page.url))).headers.get("content-type")).toContain("javascript");
  }, 180_000);

  test("saves the first tool while the sandbox runs, and calls it", async () => {
    const call = take("bash", "get_exchange_rate");
    expect((await type(call)).results[0]).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    await writeFile(TOOL(), take("ts", "defineTool"));
    const worker = await readFile(join(folder, "src/worker.ts"), "utf8");
    const edited = worker.replace(
      "  tools: [...SHIPPED_TOOLS, publishEvent, confirmConnection],\n",
      take("ts", "tools:"),
    );
    await writeFile(join(folder, "src/worker.ts"), `${take("ts", "./tools/get")}${edited}`);
    const result = await eventually(
      "the tool that was saved",
      async () => {
        const [first] = (await type(call)).results;
        return first?.status === "success" ? first : undefined;
      },
      PATIENCE,
    );
    expectPrinted('"rates"', result);
  }, 180_000);

  test("saves a declaration that cannot work, is told so, and goes on with the mended one", async () => {
    const path = TOOL();
    const problem = "Cannot define tool 'get_exchange_rate'";
    await writeFile(path, take("ts", "defineTool").replace("isWrite: false", 'isWrite: "no"'));
    await eventually("the problem", () => health(({ text }) => text.includes(problem)), PATIENCE);
    await eventually("the problem in the terminal", () => printed.includes(problem) || undefined, PATIENCE);
    await writeFile(path, take("ts", "defineTool"));
    await eventually("the mended tool", () => health(({ ok }) => ok), PATIENCE);
    expect((await type(take("bash", "get_exchange_rate"))).results[0]).toMatchObject({ status: "success" });
  }, 180_000);

  test("brings an API, and calls its tool with the key that the README names there", async () => {
    const imported = await type<{ tools: readonly unknown[] }>(take("bash", "/v1/tools/import"));
    expect(imported.tools).toHaveLength(1);
    const [result] = (await type(take("bash", '"tool": "shop_findItems"'))).results;
    expectPrinted("pump-1", result);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const socket = createServer();
    socket.listen(0, "127.0.0.1", () => {
      const { port: free } = socket.address() as { port: number };
      socket.close(() => resolve(free));
    });
  });
}
