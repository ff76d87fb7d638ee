/**
 * Walk the way of somebody who begins: pack the package, install it into a copy of the starter, test, run and call that as its README
 * says, and build what would be deployed. Nothing is published, and nothing of this repository is reached from there but the package.
 *
 *   npm run walk
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const execute = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "volley-walk-"));
const starter = join(folder, "starter");
const env = { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_LOG_PATH: folder };

async function run(command: string, args: readonly string[], cwd = starter): Promise<string> {
  const { stdout, stderr } = await execute(command, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout + stderr;
}

/** Do a step of the walk, and say how long it took and what it came to. */
async function step(name: string, work: () => Promise<string>): Promise<void> {
  const startedAt = performance.now();
  const said = await work();
  console.log(`${name}: ${said} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`);
}

function check(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`The walk ends here: ${what}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The README's commands of a language, as they stand there. */
async function readCommands(): Promise<string[]> {
  const text = await readFile(join(starter, "README.md"), "utf8");
  return [...text.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, code]) => code!);
}

async function serve(port: number): Promise<ChildProcess> {
  // A group of its own, so that all of it can be ended.
  const server = spawn("npm", ["run", "dev", "--", "--port", String(port), "--ip", "127.0.0.1"], {
    cwd: starter,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [server.stdout, server.stderr])
    stream.on("data", (chunk: Buffer) => void (printed += chunk.toString()));
  for (let tries = 0; tries < 240; tries += 1) {
    const healthy = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (healthy) return server;
    if (server.exitCode !== null) break;
    await new Promise((resolve) => void setTimeout(resolve, 250));
  }
  throw new Error(`The starter's server does not answer:\n${printed}`);
}

interface Result {
  readonly id: string;
  readonly status: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly confirmation?: { readonly id: string; readonly url: string };
}

let server: ChildProcess | undefined;
try {
  await step("packed", async () => {
    await run("npm", ["pack", "--pack-destination", folder], root);
    const [tarball] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
    await cp(join(root, "templates/starter"), starter, {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|\.wrangler)(?:\/|$)/.test(path),
    });
    const path = join(starter, "package.json");
    const manifest = await readFile(path, "utf8");
    const named = manifest.replace(/"volley": "[^"]*"/, `"volley": "file:../${tarball}"`);
    check(named !== manifest, "the starter does not depend on volley");
    await writeFile(path, named);
    return tarball!;
  });
  await step("installed", async () => {
    const said = await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"]);
    return /added \d+ packages/.exec(said)?.[0] ?? "";
  });
  await step("tested", async () => {
    await run("npm", ["run", "types"]);
    return /Tests +(.*)/.exec(stripVTControlCharacters(await run("npm", ["test"])))?.[1] ?? "";
  });
  const port = await freePort();
  await step("started", async () => {
    server = await serve(port);
    return `http://127.0.0.1:${port}`;
  });
  await step("called as the README says", async () => {
    const [, call, approve] = (await readCommands()).map((text) =>
      text.replaceAll("http://127.0.0.1:8787", `http://127.0.0.1:${port}`),
    );
    const asked = JSON.parse(await run("bash", ["-c", call!])) as { readonly results: readonly Result[] };
    const [hours, table] = asked.results;
    check(hours?.status === "success" && hours.data?.["opens"] === "18:00", JSON.stringify(asked));
    check(table?.status === "pending_confirmation", JSON.stringify(asked));
    const { id } = table!.confirmation!;
    const approved = JSON.parse(
      await run("bash", ["-c", approve!.replaceAll("CONFIRMATION_ID", id)]),
    ) as typeof asked;
    check(
      approved.results.length === 1 && approved.results[0]!.data?.["time"] === "18:00",
      JSON.stringify(approved),
    );
    return "one batch, one approval";
  });
  await step("approved in a browser", async () => {
    const [, call] = (await readCommands()).map((text) =>
      text.replaceAll("http://127.0.0.1:8787", `http://127.0.0.1:${port}`),
    );
    const [, key = ""] = /Bearer ([^'"\s]+)/.exec(call!) ?? [];
    const asked = JSON.parse(await run("bash", ["-c", call!])) as { readonly results: readonly Result[] };
    const { url } = asked.results[1]!.confirmation!;
    await run(process.execPath, ["scripts/install-folder.ts", "test/browser"], root);
    const seen = await run(process.execPath, ["test/browser/approve-in-browser.ts", url, key], root);
    check(seen.includes("success"), seen);
    return url.replace(/\w{8}-[-\w]+$/, "…");
  });
  await step("would deploy", async () => {
    const said = await run("npx", ["wrangler", "deploy", "--dry-run", "--outdir", join(folder, "out")]);
    const texts = (await readdir(join(folder, "out"))).filter((name) => name.endsWith(".txt"));
    check(texts.length === 0, "a Worker without packs would be deployed with some");
    return /gzip: [\d.]+ KiB/.exec(said)?.[0] ?? said;
  });
} finally {
  if (server?.pid !== undefined) process.kill(-server.pid, "SIGTERM");
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
