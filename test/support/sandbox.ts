import { readFile } from "node:fs/promises";

import { type Bundle, buildBundle } from "./build-bundle.ts";
import { startWorkerd, type Workerd, type WorkerdOptions } from "./workerd.ts";

export const SANDBOX_CONFIG = "test/sandbox/wrangler.jsonc";

/** The variable that holds the path of a sandbox that was built already. */
export const BUILT_SANDBOX = "VOLLEY_BUILT_SANDBOX";

/** Built once per process: every start of one runs the same bytes. */
const bundles = new Map<string, Promise<Pick<Bundle, "path">>>();

/** What a test changes about the sandbox. */
export interface SandboxOptions extends Pick<WorkerdOptions, "port" | "storageDir" | "twin"> {
  /** Variables besides the configured ones, e.g. `PROBE_ORIGIN` of an upstream of the test's own. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Another entry with the sandbox's variables, as a Wrangler configuration. */
  readonly config?: string;
}

/** Run the sandbox's built bundle in raw workerd: production's ban on eval, real disconnects, real Durable Objects. */
export async function startSandbox({
  vars,
  config: path = SANDBOX_CONFIG,
  ...options
}: SandboxOptions = {}): Promise<Workerd> {
  const config = await readSandboxConfig();
  const bundle = bundles.get(path) ?? findOrBuild(path);
  bundles.set(path, bundle);
  return startWorkerd({
    ...options,
    script: (await bundle).path,
    vars: { ...config.vars, ...vars },
    durableObjects: { TENANT_GATE: "TenantGate", TOOL_GATE: "ToolGate" },
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
  });
}

async function findOrBuild(config: string): Promise<Pick<Bundle, "path">> {
  const path = config === SANDBOX_CONFIG ? process.env[BUILT_SANDBOX] : undefined;
  return path === undefined ? buildBundle({ config }) : { path };
}

interface SandboxConfig {
  readonly vars: Readonly<Record<string, string>>;
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
}

/** The sandbox's own configuration, so that a test never runs with other flags than `npm run sandbox` does. */
export async function readSandboxConfig(): Promise<SandboxConfig> {
  const text = await readFile(SANDBOX_CONFIG, "utf8");
  const json = text.replaceAll(/^\s*\/\/.*$/gm, "").replaceAll(/,(\s*[}\]])/g, "$1");
  return JSON.parse(json) as SandboxConfig;
}
