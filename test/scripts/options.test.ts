import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../scripts");

/** The files of `scripts` that are run, and not imported by others. */
const SCRIPTS = (await readdir(FOLDER)).filter(
  (name) =>
    name.endsWith(".ts") && !["count-work.ts", "slow-pattern.ts", "vault.ts", "volley.ts"].includes(name),
);

interface End {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Run a script as a terminal does. */
function run(name: string, ...words: string[]): Promise<End> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [join(FOLDER, name), ...words], (_, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });
}

test.each(SCRIPTS)(
  "%s refuses an option that it does not know with 2, in a sentence, before it does anything",
  async (name) => {
    const { code, out, err } = await run(name, "--hepl");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("has no option --hepl. Did you mean --help?");
    expect(err).not.toMatch(/^ +at /m);
  },
);

test("a script says how it is called, its options and what they are, and does nothing, with --help", async () => {
  const { code, out } = await run("start-sandbox.ts", "--port", "1", "--help");
  expect(code).toBe(0);
  expect(out).toMatch(/^Usage: npm run sandbox -- \[options\]$/m);
  expect(out).toMatch(/^ {2}--port PORT +the port; 8787 or the next one that is free unless said$/m);
});

test.each([
  [
    "start-sandbox.ts",
    ["--port"],
    "--port needs a value: --port PORT. 'npm run sandbox -- --help' says what it takes.",
  ],
  ["start-sandbox.ts", ["--port", "many"], "--port must be a number from 1 to 65535, received 'many'."],
  ["demo.ts", ["agent"], "npm run demo does not take 'agent'. Did you mean --agent?"],
  ["demo.ts", ["--agent", "--kill"], "npm run demo shows one thing at a time: --agent or --kill."],
  ["install-folder.ts", [], "FOLDER is missing: node scripts/install-folder.ts FOLDER [options]."],
  ["write-documents.ts", ["handbook"], "--tenant TENANT is missing"],
  ["write-mcp-links.ts", ["volley"], "'volley' is no address"],
  ["list-mcp-server.ts", ["nowhere"], "'nowhere' is no address; one looks like https://mcp.example.com/mcp."],
  [
    "list-mcp-server.ts",
    ["https://mcp.example.com/mcp", "--bearer", "A", "--basic", "B"],
    "A server takes one secret: --bearer or --basic.",
  ],
  [
    "list-mcp-server.ts",
    ["http://127.0.0.1:9/mcp", "--bearer", "NO_SUCH"],
    "The environment has no variable NO_SUCH",
  ],
  [
    "install-folder.ts",
    ["nowhere"],
    "'nowhere' has no package-lock.json, so nothing can be installed there.",
  ],
  [
    "write-documents.ts",
    ["--tenant", "acme", "nowhere"],
    "'nowhere' has no file that ends with .md or .txt.",
  ],
  ["write-promises.ts", ["none.json"], "Cannot read none.json: there is no such file."],
])("%s says what is wrong with %j", async (name, words, said) => {
  const { code, out, err } = await run(name, ...words);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(said);
});

test("the sandbox says that its port is in use, and names no console of another server", async () => {
  const other = createServer((_, response) => response.end());
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  const { port } = other.address() as { port: number };
  const { code, out, err } = await run("start-sandbox.ts", "--port", String(port));
  await new Promise((done) => other.close(done));
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(`Port ${port} is in use. Another one: --port`);
});

test("npm runs every script of package.json that has options by the name that its --help says", async () => {
  const { scripts } = JSON.parse(await readFile(join(FOLDER, "../package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>;
  };
  for (const name of ["sandbox", "demo", "tools", "mcp:links", "release", "features"]) {
    const file = /scripts\/([\w-]+\.ts)$/.exec(scripts[name]!)![1]!;
    expect((await run(file, "--help")).out).toContain(`Usage: npm run ${name} --`);
  }
});
