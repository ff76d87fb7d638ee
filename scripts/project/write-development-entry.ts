import { join, relative, sep } from "node:path";

import type { Project, WranglerConfig } from "./read-project.ts";

/** Write the entry that a development server runs: the Worker's own, loaded so that a mistake in it is said and survived. */
export function writeDevelopmentEntry({ config, folder }: Project): string {
  const main = relative(join(folder, ".wrangler", "volley"), join(folder, config.main ?? "src/worker.ts"));
  return [
    "// Written by `volley dev`. It is never deployed.",
    'import { env } from "cloudflare:workers";',
    'import { develop } from "volley/dev";',
    "",
    `const served = await develop(env, () => import("${main.split(sep).join("/")}"));`,
    "",
    "export default served.default;",
    // A class of the Worker's own is missing as long as the Worker does not start.
    ...ownClasses(config).map((name) => `export const ${name} = served.${name} ?? class ${name} {};`),
    "",
  ].join("\n");
}

/** The classes of objects that a Worker exports itself. */
export function ownClasses({ durable_objects }: WranglerConfig): readonly string[] {
  const own = (durable_objects?.bindings ?? []).filter(({ script_name }) => script_name === undefined);
  return [...new Set(own.flatMap(({ class_name }) => class_name ?? []))];
}
