import { TESTED_DATE } from "../project/check-settings.ts";
import { KNOWN_OBJECTS, writeBinding, writeMigration } from "../project/known-objects.ts";
import type { Template } from "./template-list.ts";

/** Write a template's `wrangler.toml`: the Worker, and a second one for staging. */
export function writeWranglerFile(template: Template): string {
  const classes = ["TenantGate", "ToolGate", ...template.objects];
  const known = KNOWN_OBJECTS.filter(({ className }) => classes.includes(className));
  const migrations = Map.groupBy(known, ({ tag }) => tag);
  const bind = (at: string): string[] => [
    ...known.map((one) => writeBinding(one, at)),
    ...(template.store === undefined
      ? []
      : [
          `${at === "" ? "# Of the tools in src/tools. Wrangler makes the namespace when it first deploys.\n" : ""}[[${at}kv_namespaces]]\nbinding = "${template.store}"`,
        ]),
    ...(template.vars === undefined
      ? []
      : [
          `[${at}vars]\n${Object.entries(template.vars)
            .map(([name, value]) => `${name} = "${value}"`)
            .join("\n")}`,
        ]),
  ];
  return [
    `#:schema node_modules/wrangler/config-schema.json
name = "${template.project}"
main = "src/worker.ts"
compatibility_date = "${TESTED_DATE}"
compatibility_flags = [
  # A caller that goes away aborts the batch's reads.
  "enable_request_signal",
  # A tool that calls this Worker's own hostname goes out and comes back, and is refused, instead of looping inside.
  "global_fetch_strictly_public",
]
keep_names = false
minify = true`,
    `# The pages for people: \`/\` and \`/console\`. With the feature \`docs\` it is \`console-and-docs\`.\n[assets]\ndirectory = "node_modules/volley/dist/console"`,
    `[observability]\nenabled = true`,
    ...bind(""),
    ...[...migrations].map(([tag, of]) =>
      writeMigration(
        tag,
        of.map(({ className }) => className),
      ),
    ),
    `# \`npx volley deploy --env staging\` deploys a Worker of its own, ${template.project}-staging. It takes no bindings over from above.
[env.staging]`,
    ...bind("env.staging."),
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n");
}
