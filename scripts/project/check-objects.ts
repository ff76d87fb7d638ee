import { type Finding, good, wrong } from "./finding.ts";
import { writeBinding, writeMigration } from "./known-objects.ts";
import type { Loaded, LoadedWorker } from "./load-worker.ts";
import type { Project } from "./read-project.ts";

/** Look whether the classes of Durable Objects are exported, bound and migrated: those of Volley, of its features and of the Worker. */
export function checkObjects(project: Project, { features, exported }: LoadedWorker): readonly Finding[] {
  const { config, shown, environment } = project;
  const bindings = (config.durable_objects?.bindings ?? []).filter(
    ({ script_name }) => script_name === undefined,
  );
  const bound = new Map(bindings.map(({ class_name, name }) => [class_name, name]));
  const migrated = new Set(
    (config.migrations ?? []).flatMap(({ new_sqlite_classes = [], new_classes = [] }) => [
      ...new_sqlite_classes,
      ...new_classes,
    ]),
  );
  const needed = [
    { className: "TenantGate", binding: "TENANT_GATE", of: "every Worker" },
    { className: "ToolGate", binding: "TOOL_GATE", of: "every Worker" },
    ...features.flatMap(({ name, objects = {} }) =>
      Object.entries(objects).map(([className, { binding }]) => ({
        className,
        binding,
        of: `the feature '${name}'`,
      })),
    ),
  ];
  const at = environment === null ? "" : `env.${environment}.`;
  const findings: Finding[] = [];
  for (const { className, binding, of } of needed) {
    if (!exported.includes(className))
      findings.push(
        wrong(
          "objects",
          `${config.main} does not export ${className}, which ${of} needs.`,
          `export const ${className} = volley.${className};`,
        ),
      );
    const isBound = bindings.some(({ class_name, name }) => class_name === className && name === binding);
    if (!isBound) {
      const other = bound.get(className);
      const as = other === undefined ? "" : ` as ${binding} (it is bound as ${other})`;
      const there =
        environment === null ? "" : ` for ${environment}, which takes no bindings over from above`;
      findings.push(
        wrong(
          "bindings",
          `${shown} does not bind ${className}${as}, which ${of} needs${there}.`,
          writeBinding({ className, binding }, at),
        ),
      );
    }
  }
  for (const { class_name: className = "" } of bindings)
    if (!exported.includes(className) && !needed.some((one) => one.className === className))
      findings.push(
        wrong(
          "objects",
          `${shown} binds the class ${className}, which ${config.main} does not export. Export it, or take the binding out.`,
        ),
      );
  const all = new Set(
    [...needed.map(({ className }) => className), ...bound.keys()].filter((name) => name !== undefined),
  );
  const unmigrated = [...all].filter((className) => !migrated.has(className));
  if (unmigrated.length > 0)
    findings.push(
      wrong(
        "migrations",
        `No migration of ${shown} creates ${unmigrated.join(", ")}. Add one at the end, because they are taken in the order of the file.`,
        writeMigration(nextTag(project), unmigrated),
      ),
    );
  return findings.length > 0
    ? findings
    : [good("objects", `${all.size} classes of objects are exported, bound and migrated.`)];
}

/** Say which objects a Worker lacks that starts all the same, and what to add: what needs them answers that it is not configured. */
export function sayLacking(project: Project, loaded: Loaded): readonly string[] {
  const findings = "worker" in loaded ? checkObjects(project, loaded.worker) : [];
  return findings.flatMap(({ level, message, add = "" }) =>
    level === "ok" ? [] : `${message}\n${add}`.trimEnd(),
  );
}

/** A tag that no migration has yet. */
function nextTag({ config }: Project): string {
  const tags = (config.migrations ?? []).map(({ tag }) => Number(/^v(\d+)$/.exec(tag ?? "")?.[1] ?? 0));
  return `v${Math.max(0, ...tags) + 1}`;
}
