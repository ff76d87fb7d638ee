import type * as z from "zod/mini";

import type { Tool } from "../core/catalog/define-tool.ts";
import type { Caller } from "../core/contract/gate/caller.ts";
import type { OwnCode } from "../core/contract/refusal.ts";
import type { BatchFields, Keepers } from "../core/gate/execution.ts";
import { SHIPPED } from "../shipped.ts";
import type { Configured, Declared, Env } from "./configured.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";

export interface DeclaredVariable {
  /** Read it; throws where it cannot be read. All are read when a deployment opens, so health tells of a mistake before an object fails. */
  readonly read?: (env: Env) => unknown;
  /** Others read it too: a Worker without the feature may have it. */
  readonly isShared?: true;
}

/** A class of Durable Objects, as configurations name it. */
export interface DeclaredObject {
  readonly binding: string;
  /** Each is of one tenant, and a tool may ask for it: it is where its caller's are, and keeps nothing of a tenant that is deleted. */
  readonly isOfTenant?: true;
}

/** The part of a feature that names things. Commands look at it in Node, without the platform. */
export interface Declaration {
  /** The name of its folder and of its export. */
  readonly name: string;
  /** Features that must be listed too. */
  readonly needs?: readonly string[];
  /** The flags of keys that it brings, each with its right in words, for a person who gives it. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Its codes of refusals, besides those of core: `defineCodes` makes them. */
  readonly codes?: Readonly<Record<string, OwnCode>>;
  readonly variables?: Readonly<Record<string, DeclaredVariable>>;
  /** The fields that it brings to the contracts of tools. */
  readonly contract?: readonly { readonly name: string }[];
  /** The needs of tools that it alone meets: a person's yes, or the accounts of a subject. */
  readonly meets?: readonly ("approval" | "accounts")[];
  /** Bindings that need the feature where a tool asks for one. */
  readonly bindings?: readonly string[];
  /** Its fields of a body that has calls made. */
  readonly fields?: DeclaredFields;
  /** Looks after the writes of batches that ask for it. */
  readonly keepers?: DeclaredKeepers;
  /** Its fields of answers, for documents: by the name that the schema of an answer has there. */
  readonly answers?: () => Readonly<Record<string, z.ZodMiniObject>>;
}

/** The same fields, and the schema of a body with them, for documents. */
export interface DeclaredFields extends BatchFields {
  readonly extend: (schema: z.ZodMiniObject) => z.ZodMiniObject;
}

/** The keepers of writes, and the schema of a body that asks for it, for documents. */
export interface DeclaredKeepers extends Omit<Keepers, "keeperOf" | "keepOfJob" | "since"> {
  readonly extend: (schema: z.ZodMiniObject) => z.ZodMiniObject;
  /** Open what finds the keepers of a deployment. */
  readonly open: (configured: Configured) => Pick<Keepers, "keeperOf" | "keepOfJob" | "since">;
}

/** The same with its classes of Durable Objects, by the names under which a Worker exports them. */
export interface WholeDeclaration extends Declaration {
  readonly objects?: Readonly<Record<string, DeclaredObject>>;
}

/** Collect what features name. */
export function declare(features: readonly (Declaration & { readonly objects?: object })[]): Declared {
  // A flag of a feature that is not listed is known: its refusal says which one to list.
  const flags = new Set([...Object.keys(SHIPPED.flags), ...flagsOf(features)]);
  const codes = features.flatMap((feature) => Object.keys(feature.codes ?? {}));
  const brought = features.flatMap(({ fields, keepers }) =>
    [fields, keepers].filter((some) => some !== undefined),
  );
  return {
    features: features.map(({ name }) => name),
    flags: [...flags],
    codes,
    contract: contractOf(features),
    ofTenants: features
      .flatMap(({ objects = {} }) => Object.values(objects) as readonly DeclaredObject[])
      .flatMap(({ binding, isOfTenant }) => (isOfTenant === true ? [binding] : [])),
    withFields: (schema) => brought.reduce((whole, { extend }) => extend(whole), schema),
  };
}

/** The fields of contracts that are known: without its feature one is neither checked nor shown. */
function contractOf(features: readonly Declaration[]): readonly string[] {
  const own = features.flatMap(({ contract = [] }) => contract.map(({ name }) => name));
  return [...new Set([...Object.keys(SHIPPED.contract), ...own])];
}

export function flagsOf(features: readonly Declaration[]): readonly string[] {
  return features.flatMap(({ flags = {} }) => Object.keys(flags));
}

/** Check a list of features and tools. Throws an error that names the feature which is not called, is listed twice or is missing. */
export function checkFeatures(features: readonly Declaration[], tools: readonly Tool[]): void {
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
  const known = contractOf(features);
  for (const { name, brought = {} } of tools)
    for (const field of Object.keys(brought))
      if (!known.includes(field))
        throw new Error(
          `Cannot create Volley: 'orchestration' of the tool '${name}' has the field '${field}', which no feature brings`,
        );
  const met = new Set(features.flatMap(({ meets = [], bindings = [] }) => [...meets, ...bindings]));
  for (const { name, confirm, bindings, accounts } of tools) {
    const needs = [confirm && "approval", accounts?.isOptional === false && "accounts", ...bindings];
    for (const need of needs) {
      const feature = need === false || met.has(need) ? undefined : SHIPPED.needs[need];
      const why = need === "approval" ? ", which asks before it runs," : "";
      if (feature !== undefined) throw new Error(sayMissing(`the tool '${name}'${why}`, feature));
    }
  }
}

/** Look at what the configuration asks for. Throws a `ConfigurationError` where that takes a feature that is not listed. */
export function checkSettings(env: Env, callers: readonly Caller[], features: readonly Declaration[]): void {
  const names = new Set(features.map(({ name }) => name));
  for (const [variable, feature] of Object.entries(SHIPPED.variables))
    if (!names.has(feature) && (env[variable] ?? "") !== "")
      throw new ConfigurationError(variable, sayMissing("it", feature, ""));
  const own = flagsOf(features);
  for (const caller of callers) {
    const flag = caller.flags.find((one) => !own.includes(one));
    if (flag !== undefined)
      throw new ConfigurationError(
        "VOLLEY_KEYS",
        sayMissing(`the flag '${flag}' of key '${caller.name}'`, SHIPPED.flags[flag]!, ""),
      );
  }
}

function sayMissing(what: string, feature: string, before = "Cannot create Volley: "): string {
  const factory = feature.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return (
    `${before}${what} needs the feature '${feature}', which is not listed; ` +
    `import { ${factory} } from "volley/${feature}" and add ${factory}() to 'features'`
  );
}
