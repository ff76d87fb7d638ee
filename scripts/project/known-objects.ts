import { SHIPPED_OBJECTS } from "../../src/shipped.ts";

/** A class of Durable Objects that Volley brings, with its binding and its migration in `wrangler.toml`. */
export interface KnownObject {
  readonly className: string;
  readonly binding: string;
  readonly tag: string;
}

/** The classes that every Worker has, and those of features. Migrations of a Worker may have other tags: only their classes count. */
export const KNOWN_OBJECTS: readonly KnownObject[] = [
  { className: "TenantGate", binding: "TENANT_GATE", tag: "v9" },
  { className: "ToolGate", binding: "TOOL_GATE", tag: "v9" },
  ...SHIPPED_OBJECTS,
];

/** Write the lines that bind a class. */
export function writeBinding({ className, binding }: Omit<KnownObject, "tag">, at = ""): string {
  return `[[${at}durable_objects.bindings]]\nname = "${binding}"\nclass_name = "${className}"`;
}

/** Write the lines that migrate to classes. */
export function writeMigration(tag: string, classNames: readonly string[]): string {
  return `[[migrations]]\ntag = "${tag}"\nnew_sqlite_classes = [${classNames.map((name) => `"${name}"`).join(", ")}]`;
}
