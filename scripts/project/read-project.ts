import { access, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";

import { parse, TomlError } from "smol-toml";

import { visibleText } from "../../src/core/kit/visible-text.ts";
import { CommandError } from "../command/command-error.ts";
import { parseDevVars } from "./dev-vars.ts";

/** A table of `wrangler.toml`, as far as a deployment is checked. */
export interface WranglerConfig {
  readonly name?: string;
  readonly main?: string;
  readonly compatibility_date?: string;
  readonly compatibility_flags?: readonly string[];
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly assets?: { readonly directory?: string };
  readonly durable_objects?: { readonly bindings?: readonly ObjectBinding[] };
  readonly migrations?: readonly Migration[];
  readonly env?: Readonly<Record<string, WranglerConfig>>;
  readonly [field: string]: unknown;
}

export interface ObjectBinding {
  readonly name?: string;
  readonly class_name?: string;
  /** Set where another Worker has the class. */
  readonly script_name?: string;
}

export interface Migration {
  readonly tag?: string;
  readonly new_sqlite_classes?: readonly string[];
  readonly new_classes?: readonly string[];
}

/** The folder of a Worker, as its files say it. */
export interface Project {
  readonly folder: string;
  /** The path of its `wrangler.toml`, and its name in sentences. */
  readonly path: string;
  readonly shown: string;
  /** The environment that is looked at; null is the one without a name. */
  readonly environment: string | null;
  /** The fields that hold in that environment. */
  readonly config: WranglerConfig;
  /** Variables and secrets of development: `dev.vars`, then `.dev.vars`. No value is ever printed. */
  readonly devVars: Readonly<Record<string, string>>;
}

/** Fields that an environment does not take over from the top of the file. */
const NOT_INHERITED = [
  "vars",
  "durable_objects",
  "kv_namespaces",
  "d1_databases",
  "r2_buckets",
  "worker_loaders",
  "queues",
  "services",
  "analytics_engine_datasets",
  "ai",
  "browser",
  "hyperdrive",
  "vectorize",
  "send_email",
] as const;

/** Read the project in a folder; as for Wrangler, `--env=""` is the environment without a name. Throws, in a sentence, where there is none or its `wrangler.toml` cannot be read. */
export async function readProject(
  folder: string,
  { config = "wrangler.toml", env }: { config?: string; env?: string | undefined } = {},
): Promise<Project> {
  const environment = env || null;
  const path = resolve(folder, config);
  const shown = visibleText(relative(folder, path) || config, 200);
  const text = await readFile(path, "utf8").catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw new CommandError(`Cannot read ${shown}: ${error.code}.`);
    const [other] = await findOthers(folder);
    throw new CommandError(
      other === undefined
        ? `There is no ${shown} in ${folder}. Go to the folder of your Worker, or make one: npm create volley.`
        : `There is no ${shown} in ${folder}, but a ${other}: volley reads wrangler.toml, so move what it says there.`,
    );
  });
  const whole = parseToml(text, shown);
  const own = environment === null ? {} : whole.env?.[environment];
  if (own === undefined) {
    const names = Object.keys(whole.env ?? {});
    const said = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
    throw new CommandError(
      `${shown} has no environment '${visibleText(environment!)}'; ${said}. Add [env.${environment}].`,
    );
  }
  const inherited = Object.fromEntries(
    Object.entries(whole).filter(
      ([field]) =>
        field !== "env" && (environment === null || !(NOT_INHERITED as readonly string[]).includes(field)),
    ),
  );
  return {
    folder,
    path,
    shown,
    environment,
    config: { ...inherited, ...own },
    devVars: await parseDevVars(folder),
  };
}

function parseToml(text: string, shown: string): WranglerConfig {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = error.message.split("\n")[0]!.replace(/^Invalid TOML document: /, "");
    throw new CommandError(`${shown}:${error.line}:${error.column} is no TOML: ${why}.`);
  }
}

async function findOthers(folder: string): Promise<string[]> {
  const found = await Promise.all(
    ["wrangler.jsonc", "wrangler.json"].map((name) =>
      access(join(folder, name)).then(
        () => [name],
        () => [],
      ),
    ),
  );
  return found.flat();
}
