/**
 * The `test/support/sandbox.ts` of a test file while mutants are tried: the sandbox's app and objects in this process, over real HTTP.
 *
 * A start of workerd for each of thousands of mutants would take a second, and the mutants are switched in this process. Each start
 * has an environment, objects and an entry of its own; the modules of `src` are those of the tests beside it. Databases, buckets and
 * loaders are not there, so a test that needs one fails here without a mutant, and takes no part.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

import type { createMemoryObjects } from "../../src/package/testing/memory-objects.ts";
import type { RunningWorker } from "../../test/support/miniflare.ts";
import type { SandboxOptions } from "../../test/support/sandbox.ts";
import type { readSandboxSql } from "../../test/support/sandbox-sql.ts";
import type { objectsOf, readWranglerConfig } from "../../test/support/wrangler-config.ts";
import { environments } from "./cloudflare-workers.ts";

export const SANDBOX_CONFIG = "test/sandbox/wrangler.toml";
export const BUILT_SANDBOX = "VOLLEY_BUILT_SANDBOX";

/** The entry of a start, as far as it is called. */
interface Served {
  readonly default: { fetch(request: Request, env: object, ctx: object): Promise<Response> | Response };
  readonly [name: string]: unknown;
}

/** As much of a clock as alarms need; none comes to a Worker that has ended. */
type AlarmClock = Parameters<typeof createMemoryObjects>[1];

/** Who hears what the Workers print. They print into one console, so all that run hear each other. */
const listeners = new Set<(line: string) => void>();
/** The sandboxes that run. */
const running = new Set<RunningWorker>();
let starts = 0;

/** Start the sandbox. Another entry, or a text to run, is nothing that this process has. */
export async function startSandbox({
  vars,
  without = [],
  ...unknown
}: SandboxOptions = {}): Promise<RunningWorker> {
  const beyond = Object.keys(unknown)[0];
  if (beyond !== undefined) throw new Error(`Cannot start a sandbox in this process with '${beyond}'`);
  const { readWranglerConfig: read, objectsOf: of } = await load<{
    readWranglerConfig: typeof readWranglerConfig;
    objectsOf: typeof objectsOf;
  }>("test/support/wrangler-config.ts");
  const sql = await load<{ readSandboxSql: typeof readSandboxSql }>("test/support/sandbox-sql.ts");
  const memory = await load<{ createMemoryObjects: typeof createMemoryObjects }>(
    "src/package/testing/memory-objects.ts",
  );
  const config = await read(SANDBOX_CONFIG);
  const start = String((starts += 1));
  const env: Record<string, unknown> = {
    ...config.vars,
    SANDBOX_SQL: await sql.readSandboxSql(),
    ...vars,
  };
  environments.set(start, env);
  const alarms = new Set<NodeJS.Timeout>();
  const clock = clockOf(alarms);
  let output = "";
  const listen = (line: string): void => void (output = `${output}${line}\n`.slice(-100_000));
  listeners.add(listen);
  // An entry looks at its bindings while it loads, and brings their classes.
  for (const [binding, name] of Object.entries(of(config)))
    if (!without.includes(binding))
      env[binding] = memory.createMemoryObjects(
        class {
          constructor(ctx: unknown, given: unknown) {
            return new (entry[name] as new (ctx: unknown, env: unknown) => object)(ctx, given);
          }
        },
        clock,
        () => env,
      );
  const entry = await load<Served>(`test/sandbox/worker.ts?start=${start}`);
  const server = createServer(
    (incoming, outgoing) => void answer(incoming, outgoing, (request) => serve(entry, { request, env })),
  );
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const worker: RunningWorker = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    output: () => output,
    async [Symbol.asyncDispose]() {
      running.delete(worker);
      for (const alarm of alarms) clearTimeout(alarm);
      for (const socket of sockets) socket.destroy();
      environments.delete(start);
      listeners.delete(listen);
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
  running.add(worker);
  return worker;
}

/** End what a test left, one that could not begin or did not end. */
export async function endSandboxes(): Promise<void> {
  for (const worker of [...running]) await worker[Symbol.asyncDispose]();
}

export const startRawSandbox = startSandbox;

/** Let the running Workers hear what is printed; printed it is only where none runs. */
export function hearConsole(): void {
  for (const level of ["log", "info", "warn", "error", "debug"] as const) {
    const print = console[level].bind(console);
    console[level] = (...said: unknown[]) => {
      if (listeners.size === 0) print(...said);
      for (const listen of listeners) listen(said.map(String).join(" "));
    };
  }
}

/** Import of the copy that is tested, of today's set of modules: the runner's hooks see to that. */
function load<T>(path: string): Promise<T> {
  return import(new URL(path, pathToFileURL(`${process.cwd()}/`)).href) as Promise<T>;
}

function clockOf(alarms: Set<NodeJS.Timeout>): AlarmClock {
  return {
    now: () => Date.now(),
    after(delayMs: number, callback: () => void) {
      const timer = setTimeout(() => {
        alarms.delete(timer);
        callback();
      }, delayMs);
      alarms.add(timer);
      return () => clearTimeout(timer);
    },
  } as AlarmClock;
}

async function serve(entry: Served, { request, env }: { request: Request; env: object }): Promise<Response> {
  const waitUntil = (work: Promise<unknown>): void => void work.catch(() => {});
  return entry.default.fetch(request, env, { waitUntil, passThroughOnException: () => {} });
}

/** Answer a request of Node's server by a Worker's. A caller who leaves aborts it, as on the platform. */
async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  work: (request: Request) => Promise<Response>,
): Promise<void> {
  try {
    const gone = new AbortController();
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) gone.abort(new Error("The client disconnected"));
    });
    const headers = new Headers();
    for (let at = 0; at < incoming.rawHeaders.length; at += 2)
      headers.append(incoming.rawHeaders[at]!, incoming.rawHeaders[at + 1]!);
    const method = incoming.method ?? "GET";
    const hasBody = headers.has("content-length") || headers.has("transfer-encoding");
    const request = new Request(`http://${headers.get("host") ?? "127.0.0.1"}${incoming.url}`, {
      method,
      headers,
      signal: gone.signal,
      ...(hasBody &&
        method !== "GET" &&
        method !== "HEAD" && { body: Readable.toWeb(incoming), duplex: "half" }),
    } as RequestInit);
    const response = await work(request);
    const fields = [...response.headers].filter(([name]) => name !== "set-cookie");
    const cookies = response.headers.getSetCookie();
    outgoing.writeHead(response.status, {
      ...Object.fromEntries(fields),
      ...(cookies.length > 0 && { "set-cookie": cookies }),
    });
    if (response.body === null) return void outgoing.end();
    const body = Readable.fromWeb(response.body as never);
    body.on("error", () => outgoing.destroy());
    outgoing.once("close", () => void body.destroy());
    body.pipe(outgoing);
  } catch {
    outgoing.destroy();
  }
}
