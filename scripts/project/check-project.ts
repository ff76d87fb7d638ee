import { checkDescribable } from "../../src/core/catalog/check-describable.ts";
import { attemptNow } from "../../src/core/kit/result.ts";
import { checkObjects } from "./check-objects.ts";
import { checkSettings } from "./check-settings.ts";
import { checkSecrets, type Known } from "./check-secrets.ts";
import type { Wrangler } from "./find-wrangler.ts";
import { type Finding, good, wrong } from "./finding.ts";
import { loadWorker } from "./load-worker.ts";
import type { Project } from "./read-project.ts";

/** Look at a whole project: whether its Worker starts, and whether `wrangler.toml`, keys and secrets have all that it needs. */
export async function checkProject(
  project: Project,
  wrangler: Wrangler,
  known: Known,
): Promise<readonly Finding[]> {
  const loaded = await loadWorker(project, wrangler);
  if ("problem" in loaded) return [wrong("worker", `The Worker does not start. ${loaded.problem}`)];
  const { worker } = loaded;
  const undescribed = worker.tools.flatMap((tool) => {
    const described = attemptNow(() => checkDescribable(tool));
    return described.ok ? [] : [wrong("tools", (described.error as Error).message)];
  });
  const counts = `${worker.tools.length} tools and ${worker.features.length} features`;
  return [
    ...(undescribed.length > 0 ? undescribed : [good("worker", `The Worker starts, with ${counts}.`)]),
    ...checkObjects(project, worker),
    ...(await checkSettings(project, worker)),
    ...checkSecrets(worker, known),
  ];
}

/** The variables of development, as `volley dev` gives them. */
export function knownInDevelopment(
  { config, devVars }: Project,
  env: Readonly<Record<string, string | undefined>>,
): Known {
  const values = textsOf({ ...config.vars, ...devVars });
  const fromShell = Object.keys(textsOf(env));
  return {
    names: new Set([...Object.keys(values), ...fromShell]),
    values,
    isWhole: true,
    set: (name) => `${name}="…"   # in .dev.vars`,
  };
}

/** The variables of a deployment: those of `wrangler.toml`, and the names of its secrets. */
export function knownDeployed({ config, environment }: Project, secrets: readonly string[]): Known {
  const values = textsOf(config.vars ?? {});
  const at = environment === null ? "" : ` --env ${environment}`;
  return {
    names: new Set([...Object.keys(values), ...secrets]),
    values,
    isWhole: false,
    set: (name) => `npx wrangler secret put ${name}${at}`,
  };
}

/** Text that is not empty; an empty variable counts as none. */
function textsOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
    ),
  );
}
