/** A class of Durable Objects that Volley brings, with its binding and its migration in `wrangler.toml`. */
export interface KnownObject {
  readonly className: string;
  readonly binding: string;
  readonly tag: string;
}

/** The classes that every Worker has, and those of features. Migrations of a Worker may have other tags: only their classes count. */
export const KNOWN_OBJECTS: readonly KnownObject[] = [
  { className: "TenantGate", binding: "TENANT_GATE", tag: "v1" },
  { className: "ToolGate", binding: "TOOL_GATE", tag: "v2" },
  { className: "KeyShard", binding: "KEYS", tag: "v3" },
  { className: "RunLog", binding: "RUNS", tag: "v4" },
  { className: "Workspace", binding: "WORKSPACES", tag: "v5" },
  { className: "OperatorLog", binding: "OPERATOR", tag: "v6" },
  { className: "EndpointDirectory", binding: "ENDPOINTS", tag: "v7" },
  { className: "EndpointShard", binding: "ENDPOINT_SHARDS", tag: "v7" },
  { className: "ConnectionShard", binding: "CONNECTIONS", tag: "v8" },
  { className: "SignInStore", binding: "SIGN_INS", tag: "v9" },
];

/** Write the lines that bind a class. */
export function writeBinding({ className, binding }: KnownObject, at = ""): string {
  return `[[${at}durable_objects.bindings]]\nname = "${binding}"\nclass_name = "${className}"`;
}

/** Write the lines that migrate to classes. */
export function writeMigration(tag: string, classNames: readonly string[]): string {
  return `[[migrations]]\ntag = "${tag}"\nnew_sqlite_classes = [${classNames.map((name) => `"${name}"`).join(", ")}]`;
}
