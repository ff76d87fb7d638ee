import { readFile } from "node:fs/promises";

import { type Bundle, buildBundle } from "./build-bundle.ts";
import { eventually } from "./eventually.ts";
import { readSandboxSql } from "./sandbox-sql.ts";
import { type MiniflareSetup, type RunningWorker, startMiniflare } from "./miniflare.ts";
import { startWorkerd, type Workerd, type WorkerdOptions } from "./workerd.ts";
import { objectsOf, readWranglerConfig } from "./wrangler-config.ts";

export const SANDBOX_CONFIG = "test/sandbox/wrangler.toml";

/** The variable that holds the path of the file that says where the sandbox of this test run is, once it is built. */
export const BUILT_SANDBOX = "VOLLEY_BUILT_SANDBOX";

/** Built once per process: every start of one runs the same bytes. */
const bundles = new Map<string, Promise<Pick<Bundle, "path">>>();

/** The changes of a test to the sandbox. */
export interface SandboxOptions extends Pick<MiniflareSetup, "storageDir"> {
  /** Variables besides the configured ones, e.g. `PROBE_ORIGIN` of an upstream of the test's own. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Another entry with the sandbox's variables, as a Wrangler configuration. */
  readonly config?: string;
  /** Objects that it has no binding of. */
  readonly without?: readonly string[];
  /** The path of a bundle to run instead of building the configuration's. */
  readonly script?: string;
}

/** Run the sandbox's built bundle in Miniflare: production's ban on eval, real disconnects, real Durable Objects. */
export async function startSandbox({
  vars,
  config,
  without,
  script,
  ...options
}: SandboxOptions & Pick<MiniflareSetup, "assets" | "port"> = {}): Promise<RunningWorker> {
  return startMiniflare({ ...options, ...(await setUp({ vars, config, without, script })) });
}

/**
 * Run the same in raw workerd, which has neither databases nor buckets, for what Miniflare hides: kill -9 and a restart with the same storage and port, a second
 * isolate on the same objects, the process whose CPU time and memory are measured, every line that is printed.
 */
export async function startRawSandbox({
  vars,
  config,
  without,
  script,
  ...options
}: SandboxOptions & Pick<WorkerdOptions, "port" | "twin" | "onOutput" | "inspected"> = {}): Promise<Workerd> {
  return startWorkerd({ ...options, ...(await setUp({ vars, config, without, script })) });
}

async function setUp({
  vars = {},
  config: path = SANDBOX_CONFIG,
  without = [],
  script,
}: { [Name in keyof Omit<SandboxOptions, "storageDir">]: SandboxOptions[Name] | undefined }): Promise<
  Omit<MiniflareSetup, "storageDir">
> {
  const config = await readWranglerConfig(SANDBOX_CONFIG);
  return {
    script: script ?? (await buildOnce(path)).path,
    vars: { ...config.vars, SANDBOX_SQL: await readSandboxSql(), ...vars },
    durableObjects: Object.fromEntries(
      Object.entries(objectsOf(config)).filter(([name]) => !without.includes(name)),
    ),
    databases: (config.d1_databases ?? []).map(({ binding }) => binding),
    buckets: (config.r2_buckets ?? []).map(({ binding }) => binding),
    loaders: config.worker_loaders?.map(({ binding }) => binding) ?? [],
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
  };
}

function buildOnce(path: string): Promise<Pick<Bundle, "path">> {
  const bundle = bundles.get(path) ?? findOrBuild(path);
  bundles.set(path, bundle);
  return bundle;
}

async function findOrBuild(config: string): Promise<Pick<Bundle, "path">> {
  const said = config === SANDBOX_CONFIG ? process.env[BUILT_SANDBOX] : undefined;
  if (said === undefined) return buildBundle({ config });
  const text = await eventually(
    "the sandbox to be built",
    () => readFile(said, "utf8").catch(() => undefined),
    {
      withinMs: 300_000,
      everyMs: 50,
    },
  );
  const built = JSON.parse(text) as { readonly path: string } | { readonly problem: string };
  if ("problem" in built) throw new Error(built.problem);
  return built;
}
