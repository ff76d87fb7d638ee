import { flag, form, just, listOf, oneOf, texts } from "../../../core/contract/form.ts";
import {
  isJsonObject,
  matching,
  object,
  optional,
  toIssues,
  visibleText,
  written,
} from "../../../feature/schema.ts";
import { CONNECTOR_NAME } from "../subject.ts";
import { toOrigin } from "../../../core/catalog/define-tool.ts";
import { attemptNow, err, ok, type Result } from "../../../feature/refuse.ts";
import {
  type ClientAuth,
  type Connector,
  type Connectors,
  type Dialect,
  type KeyPlace,
  type OAuthConnector,
  type Site,
  STANDARD,
} from "./connector.ts";
import { PRESETS } from "./connector-presets.ts";
import type { Preset } from "./preset.ts";
import { ANY_SITE, atSite, namesHost, needsSite, putSite } from "./site.ts";
import * as z from "zod/mini";

const VARIABLE = /^[A-Z][A-Z0-9_]{0,63}$/;
/** A header's or a parameter's name, as RFC 9110 has it. */
const FIELD_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

/** A header's name, and after a colon the word before the token. */
const TOKEN_HEADER = /^([A-Za-z0-9!#$%&'*+.^_`|~-]{1,64})(?:: ?([A-Za-z0-9._~+/-]{0,64}))?$/;
const POINTER = /^\/.{1,200}$/;

const clientAuths = () => z.enum(["body", "basic"]);

const SHARED = { hosts: listOf(written), tenants: optional(listOf(written)) };
const secretForm = object({ secret: matching(VARIABLE) });
const CLIENT = {
  kind: optional(just("oauth2")),
  client_id: written,
  client_secret: secretForm,
  client_auth: optional(
    form(isClientAuth, () =>
      z.union([
        clientAuths(),
        z.strictObject({ code: z.optional(clientAuths()), refresh: z.optional(clientAuths()) }),
      ]),
    ),
  ),
  pkce: optional(flag),
  authorize_params: optional(texts),
  refresh_url: optional(written),
  revoke_url: optional(written),
  scope_separator: optional(matching(/^[ ,;+]$/)),
  token_body: optional(oneOf("form", "json")),
  token_params: optional(texts),
  token_header: optional(matching(TOKEN_HEADER)),
  userinfo: optional(
    object({
      method: optional(oneOf("GET", "POST")),
      url: written,
      body: optional(
        form(
          () => true,
          () => z.unknown(),
        ),
      ),
      id: matching(POINTER),
      name: optional(matching(POINTER)),
    }),
  ),
  issuer: optional(written),
  site: optional(matching(/^[A-Za-z0-9.-]{1,253}(?::\d{1,5})?$/)),
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
  hosts: optional(SHARED.hosts),
});
const genericForm = object({
  ...CLIENT,
  scopes: listOf(written, { min: 0 }),
  authorize_url: written,
  token_url: written,
  hosts: SHARED.hosts,
});

function isClientAuth(value: unknown): boolean {
  const isOne = (one: unknown): boolean => one === undefined || one === "body" || one === "basic";
  if (!isJsonObject(value)) return value !== undefined && isOne(value);
  return (
    Object.keys(value).every((name) => name === "code" || name === "refresh") &&
    Object.values(value).every(isOne)
  );
}

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
    refresh_url: value.refresh_url ?? (value.token_url === undefined ? (preset?.refreshUrl ?? null) : null),
    revoke_url: value.revoke_url ?? preset?.revokeUrl ?? null,
    "userinfo/url": value.userinfo?.url ?? preset?.dialect.accountRequest?.url ?? null,
    issuer: value.issuer ?? null,
  };
  for (const [field, url] of Object.entries(urls)) {
    if (url !== null && !isAddress(putSite(url, "site"), trusted))
      return err(`/${name}/${field} must be an address that begins with https://, without user or fragment`);
  }
  const hosts = value.hosts ?? preset!.hosts;
  const site = readSite(value.site, { name, preset, addresses: [...Object.values(urls), ...hosts] });
  if (!site.ok) return site;
  const origins = parseHosts(hosts, { name, trusted });
  if (!origins.ok) return origins;
  const dialect = preset?.dialect ?? STANDARD;
  const connector: OAuthConnector = {
    ...dialect,
    kind: "oauth2",
    name,
    clientId: value.client_id,
    secret: value.client_secret.secret,
    ...readDialect(value, dialect),
    pkce: value.pkce ?? dialect.pkce,
    authorize: { ...dialect.authorize, ...value.authorize_params },
    authorizeUrl: urls.authorize_url,
    tokenUrl: urls.token_url,
    refreshUrl: urls.refresh_url ?? urls.token_url,
    revokeUrl: urls.revoke_url,
    issuer: urls.issuer,
    // An address of another server than the preset's is spoken to as RFC 7009 says.
    ...(value.revoke_url !== undefined && { revoke: "rfc7009" as const }),
    origins: origins.value,
    scopes: value.scopes ?? preset!.scopes,
    tenants: toSet(value.tenants),
    site: site.value.form,
  };
  const { fixed } = site.value;
  return ok(fixed === null ? connector : { ...atSite(connector, fixed), site: null });
}

/** Read the part of addresses that depends on the account. @returns the sites that requests may name, or the one that is fixed */
function readSite(
  said: string | undefined,
  {
    name,
    preset,
    addresses,
  }: {
    readonly name: string;
    readonly preset: Preset | undefined;
    readonly addresses: readonly (string | null)[];
  },
): Result<{ readonly form: Site | null; readonly fixed: string | null }, string> {
  if (!needsSite(addresses))
    return said === undefined
      ? ok({ form: null, fixed: null })
      : err(`/${name}/site must be absent, because no address has {site} in it`);
  const form = preset?.dialect.site ?? ANY_SITE;
  const ends = addresses.some((address) => address !== null && namesHost(address));
  const isOfOperator = form.isOfOperator === true || (ends && form === ANY_SITE);
  const fixed = said ?? (isOfOperator ? form.fallback : null);
  if (fixed === null && isOfOperator)
    return err(`/${name}/site must be given, because the client's secret goes to the host that it names`);
  if (fixed !== null && !isOfOperator && !form.pattern.test(fixed))
    return err(`/${name}/site must be ${form.inWords}`);
  return ok({ form, fixed });
}

/** The ways of a provider that a connector says itself. */
function readDialect(
  value: {
    readonly client_auth?: unknown;
    readonly scope_separator?: string | undefined;
    readonly token_body?: "form" | "json" | undefined;
    readonly token_params?: Readonly<Record<string, string>> | undefined;
    readonly token_header?: string | undefined;
    readonly userinfo?:
      | {
          readonly method?: "GET" | "POST" | undefined;
          readonly url: string;
          readonly body?: unknown;
          readonly id: string;
          readonly name?: string | undefined;
        }
      | undefined;
  },
  dialect: Dialect,
): Partial<Dialect> {
  const { client_auth: auth, token_header: header, userinfo } = value;
  const [, name = "", scheme = ""] = TOKEN_HEADER.exec(header ?? "") ?? [];
  const said = auth as ClientAuth | Partial<Dialect["clientAuth"]> | undefined;
  return {
    clientAuth: typeof said === "string" ? { code: said, refresh: said } : { ...dialect.clientAuth, ...said },
    scopeSeparator: value.scope_separator ?? dialect.scopeSeparator,
    body: value.token_body ?? dialect.body,
    tokenParameters: { ...dialect.tokenParameters, ...value.token_params },
    ...(header !== undefined && { tokenHeader: { name: name.toLowerCase(), scheme } }),
    ...(userinfo !== undefined && {
      accountRequest: {
        method: userinfo.method ?? "GET",
        url: userinfo.url,
        ...(userinfo.body !== undefined && { body: userinfo.body }),
      },
      accountIdAt: [userinfo.id],
      accountAt: userinfo.name === undefined ? dialect.accountAt : [userinfo.name],
    }),
  };
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
    const isWhole = origin !== null && [origin, origin.replace("https://", "")].includes(host);
    if (!isHost || !isWhole)
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
