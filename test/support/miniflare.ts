import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A Worker that runs, as every test sees it. */
export interface RunningWorker extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  /** The output of the process so far: `console.log`, uncaught errors. */
  output(): string;
}

export interface MiniflareSetup {
  /** The bundle's file: an ES module, beside the texts that it imports. */
  readonly script: string;
  /** Plain text bindings: what `vars` and secrets are in a deployment. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Durable Object namespaces with SQLite: binding name to exported class name. */
  readonly durableObjects?: Readonly<Record<string, string>>;
  /** D1 databases and R2 buckets, by their bindings' names. */
  readonly databases?: readonly string[];
  readonly buckets?: readonly string[];
  /** Names of Worker Loader bindings. */
  readonly loaders?: readonly string[];
  /** Where what is stored outlives the Worker; in a temporary directory when not given. */
  readonly storageDir?: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** The folder of the files that the platform serves beside the Worker. */
  readonly assets?: string;
  /** A port that is free; any when not given. */
  readonly port?: number;
}

/**
 * Run a built bundle in Miniflare on 127.0.0.1 and wait until it listens.
 *
 * Its socket leads straight into the Worker (`unsafeDirectSockets`): Miniflare's own entry in between halves the speed and
 * compresses answers. Miniflare keeps what it takes for noise of the runtime out of the output, names no process, and
 * ends politely: for a crash, a second isolate, CPU time, or all that is printed there is `startWorkerd`.
 */
export async function startMiniflare(setup: MiniflareSetup): Promise<RunningWorker> {
  // When it is needed: it takes most of a second to load, and who starts raw workerd needs none of it.
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import("miniflare");
  let output = "";
  const directory = dirname(setup.script);
  const texts = (await readdir(directory))
    .filter((name) => name.endsWith(".txt"))
    .map((name) => ({ type: "Text" as const, path: join(directory, name) }));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: "ESModule", path: setup.script }, ...texts],
      modulesRoot: directory,
      bindings: { ...setup.vars },
      durableObjects: Object.fromEntries(
        Object.entries(setup.durableObjects ?? {}).map(([name, className]) => [
          name,
          { className, useSQLite: true },
        ]),
      ),
      d1Databases: [...(setup.databases ?? [])],
      r2Buckets: [...(setup.buckets ?? [])],
      workerLoaders: Object.fromEntries((setup.loaders ?? []).map((name) => [name, {}])),
      compatibilityDate: setup.compatibilityDate,
      compatibilityFlags: [...setup.compatibilityFlags],
      host: "127.0.0.1",
      unsafeDirectSockets: [{ host: "127.0.0.1", port: setup.port ?? 0 }],
      ...(setup.assets !== undefined && {
        assets: { directory: setup.assets, routerConfig: { has_user_worker: true } },
      }),
      ...(setup.storageDir !== undefined && { resourcePersistencePath: setup.storageDir }),
      handleStructuredLogs: ({ message }) => void (output = `${output}${message}\n`.slice(-100_000)),
      log: new Log(LogLevel.NONE),
      // Neither asks where in the world it runs nor calls home.
      cf: false,
      telemetry: { enabled: false },
    }),
  );
  try {
    const { origin } = await miniflare.unsafeGetDirectURL();
    return {
      url: origin,
      output: () => output,
      [Symbol.asyncDispose]: () => miniflare.dispose(),
    };
  } catch (cause) {
    await miniflare.dispose();
    throw new Error(`Cannot start Miniflare: ${output.trim() || "no output"}`, { cause });
  }
}
