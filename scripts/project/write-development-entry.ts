import { join, relative, sep } from "node:path";

import type { Project } from "./read-project.ts";

/** Write the entry that a development server runs: the Worker's own, loaded so that a mistake in it is said and survived. */
export function writeDevelopmentEntry({ config, folder }: Project): string {
  const main = relative(join(folder, ".wrangler", "volley"), join(folder, config.main ?? "src/worker.ts"));
  const classes = (config.durable_objects?.bindings ?? []).flatMap(({ class_name, script_name }) =>
    (script_name === undefined ? [class_name ?? []] : []).flat(),
  );
  return [
    "// Written by `volley dev`. It is never deployed.",
    'import { env } from "cloudflare:workers";',
    'import { develop } from "volley/dev";',
    "",
    `const served = await develop(env, () => import("${main.split(sep).join("/")}"));`,
    "",
    "export default served.default;",
    // A class of the Worker's own is missing as long as the Worker does not start.
    ...[...new Set(classes)].map((name) => `export const ${name} = served.${name} ?? class ${name} {};`),
    "",
  ].join("\n");
}
