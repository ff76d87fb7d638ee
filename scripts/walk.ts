/**
 * Walk the way of somebody who begins: in an empty folder `npm create volley`, a tool of one's own, its result; timed, and every input
 * counted. Then test, run and call the project as its README says, break and mend it, and build what would be deployed. Nothing is
 * published: a registry of this machine has both packages as a release would pack them, and sends on for all others.
 *
 *   npm run walk
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";

import { readScript } from "./command/read-script.ts";
import { type LocalRegistry, serveRegistry } from "./walk/local-registry.ts";
import { typeInTerminal } from "./walk/type-in-terminal.ts";

readScript({
  call: "npm run walk --",
  summary: "Walk the way of somebody who begins, in an empty folder",
  options: {},
});

/** The way to the first result of a tool of one's own takes at most so long, and so many inputs. */
const MOST_MINUTES = 5;
const MOST_INPUTS = 10;

const root = fileURLToPath(new URL("..", import.meta.url));
const execute = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "volley-walk-"));
const starter = join(folder, "my-volley");
const env: NodeJS.ProcessEnv = {
  ...process.env,
  CI: "1",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_LOG_PATH: folder,
};

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

interface Serving {
  readonly process: ChildProcess;
  /** All that it has printed. */
  printed(): string;
}

async function serve(port: number): Promise<Serving> {
  // A group of its own, so that all of it can be ended.
  const server = spawn("npm", ["run", "dev", "--", "--port", String(port)], {
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
    if (healthy) return { process: server, printed: () => stripVTControlCharacters(printed) };
    if (server.exitCode !== null) break;
    await new Promise((resolve) => void setTimeout(resolve, 250));
  }
  throw new Error(`The starter's server does not answer:\n${printed}`);
}

/** Look until the server has loaded what was saved, or has ended. */
async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 480; tries += 1) {
    if (await look()) return;
    const { process: child } = server!;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => void setTimeout(resolve, 250));
  }
  throw new Error(`The walk ends here: ${what} never came. The server printed:\n${server!.printed()}`);
}

interface Result {
  readonly id: string;
  readonly status: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly confirmation?: { readonly id: string; readonly url: string };
}

/** A tool as somebody types it who has read one. */
const OWN_TOOL = `const addUp = defineTool({
  name: "add_up", summary: "Add numbers up", description: "The sum of numbers. Size: about 5 tokens.", category: "numbers",
  actions: ["compute"], isWrite: false, execution: "sync", input: z.strictObject({ numbers: z.array(z.number()) }),
  hosts: [], orchestration: { mode: "parallel-safe" },
  run: ({ numbers }) => Promise.resolve({ sum: numbers.reduce((sum, each) => sum + each, 0) }),
});
`;

let server: Serving | undefined;
let registry: LocalRegistry | undefined;
try {
  await step("packed", async () => {
    const packed = join(folder, "packed");
    await run(process.execPath, ["scripts/release.ts", "--dry-run", "--to", packed], root);
    const configured = await run("npm", ["config", "get", "registry"], root);
    const [upstream] = /^https?:\S+$/m.exec(configured) ?? [];
    if (upstream === undefined) throw new Error("npm does not say which registry it uses");
    registry = await serveRegistry(packed, upstream);
    env["npm_config_registry"] = registry.url;
    return (await readdir(packed)).filter((name) => name.endsWith(".tgz")).join(", ");
  });
  const port = await freePort();
  const startedAt = performance.now();
  let inputs = 0;
  await step("created", async () => {
    // A person's terminal, which npm and the command ask questions in.
    const { CI: _, ...asked } = env;
    const created = await typeInTerminal("npm create volley", {
      questions: [/Folder: /, /Template: /, /\(Y\/n\)/],
      cwd: folder,
      // npm asks whether it may fetch the package, which is answered here, and counted.
      env: { ...asked, npm_config_yes: "true" },
    });
    inputs += created.inputs + 1;
    check(created.printed.includes("  npm run dev"), created.printed);
    return `${inputs} inputs`;
  });
  await step("started", async () => {
    // cd my-volley, and npm run dev
    inputs += 2;
    server = await serve(port);
    return `http://127.0.0.1:${port}`;
  });
  await step("a tool of one's own", async () => {
    // One file is changed, and one command typed.
    inputs += 2;
    const path = join(starter, "src/worker.ts");
    const written = await readFile(path, "utf8");
    await writeFile(
      path,
      written
        .replace(
          'import { createVolley } from "volley";',
          'import { createVolley, defineTool } from "volley";\nimport * as z from "zod";',
        )
        .replace("// The other tools", `${OWN_TOOL}\n// The other tools`)
        .replace("tools: [", "tools: [addUp, "),
    );
    await until("the result of one's own tool", async () => {
      const address = `http://127.0.0.1:${port}/v1/execute_actions`;
      const headers = `-H 'authorization: Bearer starter-key' -H 'content-type: application/json'`;
      const body = '{ "actions": [{ "tool": "add_up", "args": { "numbers": [40, 2] } }] }';
      const said = await run("bash", ["-c", `curl -s ${address} ${headers} -d '${body}'`]);
      return said.includes('"data":{"sum":42}');
    });
    await writeFile(path, written);
    return '{"sum":42}';
  });
  const minutes = (performance.now() - startedAt) / 60_000;
  console.log(
    `From an empty folder to the result of one's own tool: ${minutes.toFixed(1)} minutes, ${inputs} inputs.`,
  );
  check(minutes < MOST_MINUTES, `it takes more than ${MOST_MINUTES} minutes`);
  check(inputs < MOST_INPUTS, `it takes ${MOST_INPUTS} inputs or more`);
  await step("tested", async () => {
    await run("npm", ["run", "types"]);
    return /Tests +(.*)/.exec(stripVTControlCharacters(await run("npm", ["test"])))?.[1] ?? "";
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
    const [, call, approve] = (await readCommands()).map((text) =>
      text.replaceAll("http://127.0.0.1:8787", `http://127.0.0.1:${port}`),
    );
    const [, key = ""] = /Bearer ([^'"\s]+)/.exec(approve!) ?? [];
    const asked = JSON.parse(await run("bash", ["-c", call!])) as { readonly results: readonly Result[] };
    const { url } = asked.results[1]!.confirmation!;
    await run(process.execPath, ["scripts/install-folder.ts", "test/browser"], root);
    const seen = await run(process.execPath, ["test/browser/approve-in-browser.ts", url, key], root);
    check(seen.includes("success"), seen);
    return url.replace(/\w{8}-[-\w]+$/, "…");
  });
  await step("broken and mended while it runs", async () => {
    const path = join(starter, "src/tools/get-opening-hours.ts");
    const written = await readFile(path, "utf8");
    const health = async () => fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.text());
    const ask = async (): Promise<string> => {
      const [, call] = (await readCommands()).map((text) =>
        text.replaceAll("http://127.0.0.1:8787", `http://127.0.0.1:${port}`),
      );
      return run("bash", ["-c", call!]);
    };
    const broken = "Cannot define tool 'get_opening_hours'";
    await writeFile(path, written.replace("isWrite: false", 'isWrite: "no"'));
    await until("the name of the tool that is wrong", async () => (await health()).includes(broken));
    check(server!.printed().includes(broken), "the terminal does not name the tool");
    await writeFile(path, written.replace("isWrite: false", "isWrite: ,"));
    await until("the file that cannot be parsed", () => /Unexpected "?,"?/.test(server!.printed()));
    await writeFile(path, written);
    await until("the mended tool", async () => (await health()).includes('"ok"'));
    check((await ask()).includes('"opens":"18:00"'), "the mended tool does not answer");
    const thrown = written.replace(
      /run: [^]*\}\);\n$/,
      'run: () => {\n    throw new Error("of the walk");\n  },\n});\n',
    );
    const line = thrown.split("\n").findIndex((text) => text.includes("of the walk")) + 1;
    await writeFile(path, thrown);
    await until("a failure of the tool", async () => (await ask()).includes("TOOL_FAILED"));
    await until("its file and line", () => server!.printed().includes(`get-opening-hours.ts:${line}:`));
    await writeFile(path, written);
    await until("the mended tool", async () => (await ask()).includes('"opens":"18:00"'));
    return `served again, get-opening-hours.ts:${line} in the terminal`;
  });
  await step("called this machine", async () => {
    const local = createHttpServer((_, response) => void response.end('{"opens":"local"}'));
    await new Promise<void>((resolve) => local.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(local.address() as { port: number }).port}`;
    try {
      const path = join(starter, "src/tools/get-opening-hours.ts");
      const written = await readFile(path, "utf8");
      const vars = join(starter, "dev.vars");
      await writeFile(vars, `${await readFile(vars, "utf8")}VOLLEY_DEV_ORIGINS=${origin}\n`);
      process.kill(-server!.process.pid!, "SIGTERM");
      await once(server!.process, "exit");
      const other = await freePort();
      const calling = written
        .replace("hosts: []", `hosts: ["${origin}"]`)
        .replace(
          /run: [^]*\}\);\n$/,
          `run: async (_, ctx) => (await ctx.fetch("${origin}/")).json(),\n});\n`,
        );
      await writeFile(path, calling);
      server = await serve(other);
      const [, call] = (await readCommands()).map((text) =>
        text.replaceAll("http://127.0.0.1:8787", `http://127.0.0.1:${other}`),
      );
      const said = await run("bash", ["-c", call!]);
      check(said.includes('"opens":"local"'), said);
      await writeFile(path, written);
      return origin;
    } finally {
      local.close();
    }
  });
  await step("would deploy", async () => {
    await run("npx", ["volley", "deploy", "--dry-run"]);
    const said = await run("npx", [
      "wrangler",
      "deploy",
      "--env=",
      "--dry-run",
      "--outdir",
      join(folder, "out"),
    ]);
    const texts = (await readdir(join(folder, "out"))).filter((name) => name.endsWith(".txt"));
    const worker = await readFile(join(folder, "out/worker.js"), "utf8");
    check(!worker.includes("Volley cannot start"), "the entry of development would be deployed");
    check(texts.length === 0, "a Worker without packs would be deployed with some");
    return /gzip: [\d.]+ KiB/.exec(said)?.[0] ?? said;
  });
} finally {
  if (server?.process.pid !== undefined) process.kill(-server.process.pid, "SIGTERM");
  await registry?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
