import type { Auth, ConnectionAuth } from "../../added-tools/declared/declaration.ts";
import { isJsonObject, type JsonObject, visibleText } from "../../../feature/schema.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import type { Operation } from "./operations.ts";
import { dereference } from "./document-reference.ts";

/** A secret, and how it is sent where the document does not say, or says it wrong. */
export interface GivenSecret {
  readonly secret: string;
  readonly as?: Auth["as"] | undefined;
}

/** A secret, or the account of a subject, which its connector sends. */
type Given = GivenSecret | ConnectionAuth;

/** One for whatever scheme an operation asks for, or one for each scheme. */
export type GivenAuth = Given | { readonly schemes: Readonly<Record<string, Given>> };

/**
 * Which secret an operation's requests carry: the first of the ways the document offers that a single secret satisfies and for which
 * one is given, or the usual one where it needs none. Where an operation needs a secret and none is given, the error names it.
 */
export function chooseAuth(
  root: JsonObject,
  { own }: Operation,
  given: GivenAuth | undefined,
): Result<Auth | ConnectionAuth | undefined, string> {
  const declared = own["security"] ?? root["security"];
  const ways = Array.isArray(declared) ? declared.filter(isJsonObject).map((way) => Object.keys(way)) : null;
  // Many documents say nothing of how to authenticate, and an operation that needs no key takes one all the same. A key that an import gives is meant for all of
  // it.
  if (ways === null || ways.every((way) => way.length === 0))
    return ok(usualAuth(root, given, ways === null ? "bearer" : usualWay(root)));
  const missing: string[] = [];
  for (const way of ways) {
    if (way.length === 0) continue;
    const auth = way.length === 1 ? authFor(root, way[0]!, given) : authForAll(root, way, given);
    if (auth.ok) return auth;
    missing.push(auth.error);
  }
  if (!ways.some((way) => way.length === 0)) return err(missing[0]!);
  const isForAll = given !== undefined && !("schemes" in given);
  return ok(isForAll ? usualAuth(root, given, usualWay(root)) : undefined);
}

/** The key of an operation that asks for none: that of the import, or the first given one that the document asks for, or describes. */
function usualAuth(
  root: JsonObject,
  given: GivenAuth | undefined,
  as: Auth["as"],
): Auth | ConnectionAuth | undefined {
  if (given === undefined) return undefined;
  if (!("schemes" in given)) return toAuth(given, as);
  const usual = usualSchemes(root).filter((name) => Object.hasOwn(given.schemes, name));
  return usual.map((name) => authFor(root, name, given)).find((auth) => auth.ok)?.value;
}

/** @param as how a secret is sent where that is not said with it */
function toAuth(given: Given, as: Auth["as"]): Auth | ConnectionAuth {
  return "connection" in given
    ? { connection: given.connection }
    : { secret: given.secret, as: given.as ?? as };
}

/** How the document sends a key elsewhere: by the first scheme that a tool can send. */
function usualWay(root: JsonObject): Auth["as"] {
  const ways = usualSchemes(root).map((name) => wayOf(schemeOf(root, name) ?? {}));
  return ways.find((way) => way !== null) ?? "bearer";
}

/** The schemes that the document asks for, and then those that it describes. */
function usualSchemes(root: JsonObject): string[] {
  const { security } = root;
  const asked = Array.isArray(security) ? security.filter(isJsonObject) : [];
  return [...new Set([...asked.flatMap((way) => Object.keys(way)), ...schemeNames(root)])];
}

function authFor(
  root: JsonObject,
  name: string,
  given: GivenAuth | undefined,
): Result<Auth | ConnectionAuth, string> {
  const scheme = schemeOf(root, name);
  const mine = givenFor(name, given);
  if (mine !== undefined && ("connection" in mine || mine.as !== undefined))
    return ok(toAuth(mine, "bearer"));
  if (scheme === undefined)
    return err(`it needs the security scheme ${show(name)}, which the document does not describe`);
  const as = wayOf(scheme);
  if (as === null) return err(`it needs ${sayScheme(name, scheme)}, which no tool can send`);
  if (mine === undefined) return err(`it needs ${sayScheme(name, scheme)}; name the secret for it in 'auth'`);
  return ok(toAuth(mine, as));
}

/** All secrets of a way that needs several: each scheme has to be given its own. */
function authForAll(
  root: JsonObject,
  way: readonly string[],
  given: GivenAuth | undefined,
): Result<Auth | ConnectionAuth, string> {
  if (given === undefined || !("schemes" in given)) return err(sayPair(way));
  const all: Auth[] = [];
  for (const name of way) {
    const auth = authFor(root, name, given);
    if (!auth.ok) return auth;
    if ("connection" in auth.value) return err(sayPair(way));
    all.push(auth.value);
  }
  const [first, ...also] = all;
  return ok({ ...first!, also });
}

function givenFor(name: string, given: GivenAuth | undefined): Given | undefined {
  if (given === undefined || !("schemes" in given)) return given;
  return Object.hasOwn(given.schemes, name) ? given.schemes[name] : undefined;
}

/** The names of the security schemes that a document describes. */
export function schemeNames(root: JsonObject): string[] {
  const { components } = root;
  const schemes = isJsonObject(components) ? components["securitySchemes"] : undefined;
  return isJsonObject(schemes) ? Object.keys(schemes) : [];
}

function schemeOf(root: JsonObject, name: string): JsonObject | undefined {
  if (!schemeNames(root).includes(name)) return undefined;
  const { securitySchemes } = root["components"] as { readonly securitySchemes: JsonObject };
  const scheme = dereference(root, securitySchemes[name]);
  return scheme.ok ? scheme.value : undefined;
}

/** How a scheme is sent; null where no tool can. An access token is a bearer token (RFC 6750), wherever it comes from. */
function wayOf({ type, scheme, in: place, name }: JsonObject): Auth["as"] | null {
  if (type === "oauth2" || type === "openIdConnect") return "bearer";
  if (type === "http") {
    const word = String(scheme).toLowerCase();
    return word === "bearer" || word === "basic" ? word : null;
  }
  if (type !== "apiKey" || typeof name !== "string") return null;
  if (place === "header") return { header: name };
  return place === "query" ? { query: name } : null;
}

function sayScheme(name: string, { type, scheme, in: place }: JsonObject): string {
  const kind =
    type === "apiKey"
      ? `apiKey in ${String(place)}`
      : type === "http"
        ? `http ${String(scheme)}`
        : String(type);
  return `the security scheme ${show(name)} (${visibleText(kind, 40)})`;
}

function sayPair(names: readonly string[]): string {
  return `it needs several security schemes at once, ${names.slice(0, 4).map(show).join(" and ")}; name a secret for each in 'auth.schemes'`;
}

function show(name: string): string {
  return `'${visibleText(name)}'`;
}
