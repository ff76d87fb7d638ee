import {
  form,
  just,
  listOf,
  matching,
  object,
  oneOf,
  optional,
  texts,
  written,
  flag,
} from "../../../core/contract/form.ts";
import { toOrigin } from "../../../core/catalog/define-tool.ts";
import { toIssues } from "../../../core/contract/issues.ts";
import { isJsonObject } from "../../../core/contract/json.ts";
import { attemptNow, err, ok, type Result } from "../../../core/kit/result.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";
import { CONNECTOR_NAME, type Connector, type Connectors, type KeyPlace, STANDARD } from "./connector.ts";
import { PRESETS } from "./presets.ts";
import * as z from "zod/mini";

const VARIABLE = /^[A-Z][A-Z0-9_]{0,63}$/;
/** A header's or a parameter's name, as RFC 9110 has it. */
const FIELD_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

const SHARED = { hosts: listOf(written), tenants: optional(listOf(written)) };
const secretForm = object({ secret: matching(VARIABLE) });
const CLIENT = {
  kind: optional(just("oauth2")),
  client_id: written,
  client_secret: secretForm,
  client_auth: optional(oneOf("body", "basic")),
  pkce: optional(flag),
  authorize_params: optional(texts),
  issuer: optional(written),
  tenants: SHARED.tenants,
};
const keyForm = object({
  kind: just("key"),
  as: form(isPlace, () => z.union([z.enum(["bearer", "basic"]), placeOf("header"), placeOf("query")])),
  ...SHARED,
});
const presetForm = object({
  ...CLIENT,
  scopes: optional(listOf(written, { min: 0 })),
  authorize_url: optional(written),
  token_url: optional(written),
  revoke_url: optional(written),
  hosts: optional(SHARED.hosts),
});
const genericForm = object({
  ...CLIENT,
  scopes: listOf(written, { min: 0 }),
  authorize_url: written,
  token_url: written,
  revoke_url: optional(written),
  hosts: SHARED.hosts,
});

function isPlace(value: unknown): boolean {
  if (value === "bearer" || value === "basic") return true;
  if (!isJsonObject(value)) return false;
  const [[key, name] = [], ...more] = Object.entries(value);
  return (key === "header" || key === "query") && more.length === 0 && FIELD_NAME.test(String(name));
}

const placeOf = (key: "header" | "query") => z.strictObject({ [key]: z.string().check(z.regex(FIELD_NAME)) });

/**
 * Parse `VOLLEY_CONNECTORS`: providers by their names. The reason says which field of which is written wrong, and no secret, because
 * there is none in it.
 *
 * @param trusted origins that may be plain http: development providers
 */
export function parseConnectors(text: string, trusted: ReadonlySet<string>): Result<Connectors, string> {
  const parsed = attemptNow(() => JSON.parse(text) as unknown);
  if (!parsed.ok) return err("it must be JSON");
  if (!isJsonObject(parsed.value)) return err("it must be an object of connectors by their names");
  const connectors = new Map<string, Connector>();
  for (const [name, value] of Object.entries(parsed.value)) {
    if (!CONNECTOR_NAME.test(name))
      return err(`/${visibleText(name)} must be a name matching ${CONNECTOR_NAME}`);
    const connector = parseConnector(name, value, trusted);
    if (!connector.ok) return connector;
    connectors.set(name, connector.value);
  }
  return ok(connectors);
}

function parseConnector(
  name: string,
  value: unknown,
  trusted: ReadonlySet<string>,
): Result<Connector, string> {
  if (isJsonObject(value) && value["kind"] === "key") {
    if (!keyForm.fits(value)) return err(sayMisfit(keyForm, name, value));
    const origins = parseHosts(value.hosts, { name, trusted });
    if (!origins.ok) return origins;
    const { tenants } = value;
    const as = value.as as KeyPlace;
    return ok({ kind: "key", name, as, origins: origins.value, tenants: toSet(tenants) });
  }
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset === undefined && !genericForm.fits(value)) return err(sayMisfit(genericForm, name, value));
  if (!presetForm.fits(value)) return err(sayMisfit(presetForm, name, value));
  const urls = {
    authorize_url: value.authorize_url ?? preset!.authorizeUrl,
    token_url: value.token_url ?? preset!.tokenUrl,
    revoke_url: value.revoke_url ?? preset?.revokeUrl ?? null,
    issuer: value.issuer ?? null,
  };
  for (const [field, url] of Object.entries(urls)) {
    if (url !== null && !isAddress(url, trusted))
      return err(`/${name}/${field} must be an address that begins with https://, without user or fragment`);
  }
  const origins = parseHosts(value.hosts ?? preset!.hosts, { name, trusted });
  if (!origins.ok) return origins;
  const dialect = preset?.dialect ?? STANDARD;
  return ok({
    ...dialect,
    kind: "oauth2",
    name,
    clientId: value.client_id,
    secret: value.client_secret.secret,
    clientAuth: value.client_auth ?? dialect.clientAuth,
    pkce: value.pkce ?? dialect.pkce,
    authorize: { ...dialect.authorize, ...value.authorize_params },
    authorizeUrl: urls.authorize_url,
    tokenUrl: urls.token_url,
    revokeUrl: urls.revoke_url,
    issuer: urls.issuer,
    // An address of another server than the preset's is spoken to as RFC 7009 says.
    ...(value.revoke_url !== undefined && { revoke: "rfc7009" as const }),
    origins: origins.value,
    scopes: value.scopes ?? preset!.scopes,
    tenants: toSet(value.tenants),
  });
}

function sayMisfit({ schema }: { schema: () => z.ZodMiniType }, name: string, value: unknown): string {
  const { error } = schema().safeParse(value);
  return toIssues(error!, value, { base: [name] })
    .map(({ path, expected }) => `${path} must be ${expected}`)
    .join("; ");
}

function isAddress(text: string, trusted: ReadonlySet<string>): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || trusted.has(url.origin);
}

/** Hosts are names, or whole origins. */
function parseHosts(
  hosts: readonly string[],
  { name, trusted }: { readonly name: string; readonly trusted: ReadonlySet<string> },
): Result<ReadonlySet<string>, string> {
  const origins = new Set<string>();
  for (const [at, host] of hosts.entries()) {
    const origin = toOrigin(host);
    // A URL parser takes `*` for a letter.
    const isHost = origin !== null && /^https?:[^*]+$/.test(origin);
    if (!isHost || ![origin, origin.replace("https://", "")].includes(host))
      return err(
        `/${name}/hosts/${at} must be a host name or an origin, received '${visibleText(host, 100)}'`,
      );
    if (!origin.startsWith("https:") && !trusted.has(origin))
      return err(`/${name}/hosts/${at} must be reached by https, received '${visibleText(host, 100)}'`);
    origins.add(origin);
  }
  return ok(origins);
}

function toSet(names: readonly string[] | undefined): ReadonlySet<string> | null {
  return names === undefined ? null : new Set(names);
}
