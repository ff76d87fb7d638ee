import type { Tool } from "../core/catalog/define-tool.ts";
import { type Caller } from "../core/contract/gate/caller.ts";
import { WORKSPACES } from "../core/contract/gate/workspace.ts";
import type { Env } from "./configured.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";

/** The feature that each flag of a key needs. */
const BY_FLAG: Readonly<Record<string, string>> = {
  approve: "confirmations",
  skip_approval: "confirmations",
  manage_tools: "added-tools",
  manage_keys: "keys",
  operator: "operator",
  manage_endpoints: "endpoints",
  manage_connections: "connections",
};

/** The feature that a variable needs. Variables of core are not here. */
const BY_VARIABLE: Readonly<Record<string, string>> = {
  LLM_BASE_URL: "agent",
  ANTHROPIC_BASE_URL: "agent",
  VOLLEY_TOOL_SECRETS: "added-tools",
  VOLLEY_TOOL_PORTS: "added-tools",
  VOLLEY_CONFIRMATION_TTL_S: "confirmations",
  VOLLEY_HOSTS: "mcp",
  VOLLEY_IDENTITY: "sign-in",
  VOLLEY_CONNECTORS: "connections",
  VOLLEY_RUNS: "runs",
  VOLLEY_RUNS_DAYS: "runs",
  VOLLEY_PORTAL: "endpoints",
};

/** The feature that tools with a binding need. */
const BY_BINDING: Readonly<Record<string, string>> = {
  [WORKSPACES]: "workspace",
  OBJECTS: "objects",
  ENDPOINTS: "endpoints",
};

/** Features, as far as they are looked at here: commands that run in Node, without the platform's types, look too. */
type Listed = readonly { readonly name: string; readonly needs?: readonly string[] }[];

/** Look at a list of features and tools. Throws, naming it, where a feature is none, is listed twice, or one that is needed is missing. */
export function checkFeatures(features: Listed, tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const feature of features) {
    const { name } = feature;
    // The function itself has a name too, so it would pass for a feature without any path.
    if (typeof feature === "function")
      throw new Error(`Cannot create Volley: the feature '${name}' is not called; list ${name}()`);
    if (names.has(name)) throw new Error(`Cannot create Volley: the feature '${name}' is listed twice`);
    names.add(name);
  }
  for (const { name, needs = [] } of features)
    for (const other of needs)
      if (!names.has(other)) throw new Error(sayMissing(`the feature '${name}'`, other));
  for (const { name, confirm, bindings, connection, connectionOptional } of tools) {
    if (confirm && !names.has("confirmations"))
      throw new Error(sayMissing(`the tool '${name}', which asks before it runs,`, "confirmations"));
    const others = bindings.map((binding) => BY_BINDING[binding]);
    const isNeeded = connection !== undefined && connectionOptional !== true;
    for (const other of isNeeded ? ["connections", ...others] : others)
      if (other !== undefined && !names.has(other)) throw new Error(sayMissing(`the tool '${name}'`, other));
  }
}

/** Look at what the configuration asks for. Throws a `ConfigurationError` where that takes a feature that is not listed. */
export function checkSettings(env: Env, callers: readonly Caller[], features: Listed): void {
  const names = new Set(features.map(({ name }) => name));
  for (const [variable, feature] of Object.entries(BY_VARIABLE))
    if (!names.has(feature) && (env[variable] ?? "") !== "")
      throw new ConfigurationError(variable, sayMissing("it", feature, ""));
  for (const caller of callers)
    for (const flag of caller.flags)
      if (!names.has(BY_FLAG[flag]!))
        throw new ConfigurationError(
          "VOLLEY_KEYS",
          sayMissing(`the flag '${flag}' of key '${caller.name}'`, BY_FLAG[flag]!, ""),
        );
}

function sayMissing(what: string, feature: string, before = "Cannot create Volley: "): string {
  const factory = feature.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return (
    `${before}${what} needs the feature '${feature}', which is not listed; ` +
    `import { ${factory} } from "volley/${feature}" and add ${factory}() to 'features'`
  );
}
