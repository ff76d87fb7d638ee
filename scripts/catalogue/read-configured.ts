import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";

import { parse } from "smol-toml";

/** The names that a deployment has configured; no value is kept. */
export interface Configured {
  readonly secrets: ReadonlySet<string>;
  readonly bindings: ReadonlySet<string>;
}

/**
 * Read which secrets and bindings this folder's Worker has: secrets in `.dev.vars`, `[vars]` and the environment, where only
 * text that is not empty counts as set; bindings in `wrangler.toml`, whatever kind they are of.
 *
 * A secret that is set in production alone (`wrangler secret put`) is not known here.
 */
export async function readConfigured(
  folder: URL,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Configured> {
  const read = async (name: string): Promise<string> =>
    readFile(new URL(name, folder), "utf8").catch(() => "");
  const config = parse(await read("wrangler.toml")) as { readonly vars?: Readonly<Record<string, unknown>> };
  const vars = { ...config.vars, ...environment, ...parseEnv(await read(".dev.vars")) };
  const set = Object.entries(vars).filter(([, value]) => typeof value === "string" && value !== "");
  return { secrets: new Set(set.map(([name]) => name)), bindings: new Set(findBindings(config)) };
}

/** Find the names of a configuration's bindings. Every kind says its name under `binding`, but for Durable Objects, which say `name` and `class_name`. */
export function findBindings(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(findBindings);
  if (typeof value !== "object" || value === null) return [];
  const { binding, name, class_name } = value as Readonly<Record<string, unknown>>;
  const own = typeof binding === "string" ? binding : class_name === undefined ? undefined : name;
  return [...(typeof own === "string" ? [own] : []), ...Object.values(value).flatMap(findBindings)];
}
