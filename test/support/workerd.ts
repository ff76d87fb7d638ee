import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import type { RunningWorker } from "./miniflare.ts";
import { makeWorkerdConfig, type WorkerdSetup } from "./workerd-config.ts";

export interface WorkerdOptions extends WorkerdSetup {
  /** The bundle's file: one ES module. Modules that it imports (`wasm`, texts) are next to it. */
  readonly script: string;
  /** Where the Durable Objects' SQLite files live. Kept when given; a temporary directory when not. */
  readonly storageDir?: string;
  readonly startTimeoutMs?: number;
  /** Open its inspector, which speaks the protocol of Chrome's developer tools. */
  readonly inspected?: boolean;
  /** Told everything that it prints; `output()` keeps the last of it only. */
  readonly onOutput?: (text: string) => void;
}

export interface Workerd extends RunningWorker {
  readonly port: number;
  /** Where the second instance listens, if there is one. */
  readonly twinUrl: string | null;
  /** Where its inspector listens, if it is open. */
  readonly inspectorUrl: string | null;
  readonly pid: number;
  /** Send a signal (SIGKILL unless said otherwise) and wait until the process is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

const workerdBinary: string = createRequire(import.meta.url)("workerd").default;
/** No socket has such a name. */
const INSPECTOR = "(inspector)";
const running = new Set<ChildProcess>();
const directories = new Set<string>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/**
 * Run a built bundle in raw `workerd serve` on 127.0.0.1 and wait until it listens.
 *
 * For what Miniflare (`startMiniflare`) hides. To crash and come back, `kill()` and start again with the same `storageDir`
 * and `port`.
 *
 * @example
 * await using worker = await startWorkerd({ script: "dist/worker.js", vars: { PROBE_ORIGIN: upstream.url } });
 * await fetch(`${worker.url}/healthz`);
 */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const directory = await mkdtemp(join(tmpdir(), "volley-workerd-"));
  directories.add(directory);
  const storageDir = options.storageDir ?? join(directory, "storage");
  await mkdir(storageDir, { recursive: true });
  await cp(options.script, join(directory, "worker.js"));
  const built = dirname(options.script);
  const texts = (await readdir(built)).filter((name) => name.endsWith(".txt"));
  for (const name of [...(options.wasm ?? []), ...texts]) await cp(join(built, name), join(directory, name));
  await writeFile(join(directory, "config.capnp"), makeWorkerdConfig({ ...options, texts }, storageDir));

  // --control-fd reports the port that was bound, so port 0 works without polling.
  const inspected = options.inspected === true;
  const args = [
    "serve",
    "--control-fd=3",
    // Raw workerd has loaders only so.
    ...((options.loaders ?? []).length > 0 ? ["--experimental"] : []),
    ...(inspected ? ["--inspector-addr=127.0.0.1:0"] : []),
    join(directory, "config.capnp"),
  ];
  const child = spawn(workerdBinary, args, { stdio: ["ignore", "pipe", "pipe", "pipe"] });
  running.add(child);
  const exited = once(child, "exit").then(() => void running.delete(child));
  let output = "";
  const collect = (chunk: Buffer): void => {
    const text = chunk.toString();
    options.onOutput?.(text);
    output = (output + text).slice(-100_000);
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);

  const kill = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  const clean = async (): Promise<void> => {
    directories.delete(directory);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const sockets = ["http", ...(options.twin === true ? ["twin"] : []), ...(inspected ? [INSPECTOR] : [])];
    const ports = await listening(child, { exited, sockets, timeoutMs: options.startTimeoutMs ?? 60_000 });
    const port = ports.get("http")!;
    const [twinPort, inspectorPort] = [ports.get("twin"), ports.get(INSPECTOR)];
    const pid = child.pid as number;
    return {
      url: `http://127.0.0.1:${port}`,
      port,
      twinUrl: twinPort === undefined ? null : `http://127.0.0.1:${twinPort}`,
      inspectorUrl: inspectorPort === undefined ? null : `http://127.0.0.1:${inspectorPort}`,
      pid,
      output: () => output,
      kill,
      async [Symbol.asyncDispose]() {
        await kill();
        await clean();
      },
    };
  } catch (cause) {
    await kill();
    await clean();
    throw new Error(`Cannot start workerd: ${output.trim() || "no output"}`, { cause });
  }
}

interface Listening {
  readonly exited: Promise<void>;
  readonly sockets: readonly string[];
  readonly timeoutMs: number;
}

/** Resolve with the sockets' ports once workerd reported all of them; reject when it exits or takes too long. */
async function listening(
  child: ChildProcess,
  { exited, sockets, timeoutMs }: Listening,
): Promise<ReadonlyMap<string, number>> {
  const control = child.stdio[3] as Readable;
  const report = new Promise<ReadonlyMap<string, number>>((resolve) => {
    let text = "";
    control.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const reports = text.matchAll(/"event":"listen","socket":"(\w+)","port":(\d+)/g);
      const ports = new Map(Array.from(reports, ([, socket, port]) => [socket!, Number(port)]));
      const inspector = /"event":"listen-inspector","port":(\d+)/.exec(text);
      if (inspector !== null) ports.set(INSPECTOR, Number(inspector[1]));
      if (sockets.every((socket) => ports.has(socket))) resolve(ports);
    });
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not listen within ${timeoutMs} ms`)), timeoutMs);
  });
  const gone = exited.then(() => Promise.reject(new Error("it exited")));
  try {
    return await Promise.race([report, gone, late]);
  } finally {
    clearTimeout(timer);
  }
}
