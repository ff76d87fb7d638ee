import { readFile } from "node:fs/promises";

import { parse } from "smol-toml";

/** As much of a `wrangler.toml` as tests use. */
export interface WranglerConfig {
  readonly main: string;
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly migrations: readonly object[];
  readonly vars?: Readonly<Record<string, string>>;
  readonly worker_loaders?: readonly { readonly binding: string }[];
  readonly durable_objects: {
    readonly bindings: readonly { readonly name: string; readonly class_name: string }[];
  };
  readonly d1_databases?: readonly { readonly binding: string }[];
  readonly r2_buckets?: readonly { readonly binding: string }[];
}

/** Read a Wrangler configuration, so that a test never runs with other flags or objects than what it stands for. */
export async function readWranglerConfig(path: string | URL): Promise<WranglerConfig> {
  return parse(await readFile(path, "utf8")) as unknown as WranglerConfig;
}

/** The Durable Objects of a configuration: binding name to exported class name. */
export function objectsOf({ durable_objects: { bindings } }: WranglerConfig): Record<string, string> {
  return Object.fromEntries(bindings.map(({ name, class_name }) => [name, class_name]));
}
