import { findBindings } from "../catalogue/read-configured.ts";
import { checkAssets } from "./check-assets.ts";
import { type Finding, good, warning, wrong } from "./finding.ts";
import type { LoadedWorker } from "./load-worker.ts";
import type { Project } from "./read-project.ts";

/** The date that Volley is tested with. */
export const TESTED_DATE = "2026-10-23";

const FLAGS = {
  enable_request_signal: "a caller that goes away aborts the batch's reads",
  global_fetch_strictly_public:
    "a tool that calls this Worker's own hostname is refused instead of looping inside",
} as const;

/** Look at the rest of `wrangler.toml`: its name, its date and flags, the files beside the Worker, the bindings of tools. */
export async function checkSettings(project: Project, worker: LoadedWorker): Promise<readonly Finding[]> {
  const { config, shown, environment } = project;
  const findings: Finding[] = [];
  const at = environment === null ? "" : `env.${environment}.`;
  const { compatibility_date: date, compatibility_flags: flags = [] } = config;
  if (config.name === undefined)
    findings.push(wrong("name", `${shown} gives the Worker no name.`, 'name = "my-volley"'));
  if (date === undefined)
    findings.push(
      wrong("date", `${shown} has no compatibility_date.`, `compatibility_date = "${TESTED_DATE}"`),
    );
  else if (date < TESTED_DATE)
    findings.push(
      warning(
        "date",
        `compatibility_date ${date} is before the one that this Volley is tested with.`,
        `compatibility_date = "${TESTED_DATE}"`,
      ),
    );
  const missing = Object.entries(FLAGS).filter(([flag]) => !flags.includes(flag));
  if (missing.length > 0)
    findings.push(
      warning(
        "flags",
        `${shown} lacks ${missing.map(([flag, why]) => `${flag} (${why})`).join(" and ")}.`,
        `compatibility_flags = [${[...flags, ...missing.map(([flag]) => flag)].map((flag) => `"${flag}"`).join(", ")}]`,
      ),
    );
  findings.push(...(await checkAssets(project, worker)));
  const bindings = new Set(findBindings(config));
  const lacking = new Map<string, string[]>();
  for (const tool of worker.tools)
    for (const name of tool.bindings)
      if (!bindings.has(name)) lacking.set(name, [...(lacking.get(name) ?? []), tool.name]);
  for (const [name, users] of lacking)
    findings.push(
      wrong(
        "bindings",
        `${shown} does not bind ${name}, which ${users.join(", ")} needs.`,
        bindLines(name, at),
      ),
    );
  return findings.length > 0 ? findings : [good("settings", `${shown} has all that the Worker needs.`)];
}

/** The lines of a binding, as far as its name says its kind. */
function bindLines(name: string, at: string): string {
  const known: Readonly<Record<string, string>> = {
    DATA: `[[${at}d1_databases]]\nbinding = "DATA"\ndatabase_name = "volley-data"\nmigrations_dir = "node_modules/volley/migrations"`,
    OBJECTS: `[[${at}r2_buckets]]\nbinding = "OBJECTS"\nbucket_name = "volley-objects"`,
    LOADER: `[[${at}worker_loaders]]\nbinding = "LOADER"`,
  };
  return (
    known[name] ??
    `[[${at}kv_namespaces]]   # or d1_databases, r2_buckets: the kind that the tool uses\nbinding = "${name}"`
  );
}
