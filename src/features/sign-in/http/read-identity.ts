import { matching, object, toIssues, written } from "../../../feature/schema.ts";
import { attemptNow, ConfigurationError } from "../../../feature/refuse.ts";
import { type Caller, KEY_NAME } from "../../../feature/caller.ts";

const VARIABLE = "VOLLEY_IDENTITY";

const identityForm = object({
  issuer: matching(/^https?:\/\/[^\s?#]{1,500}$/),
  client_id: written,
  /** The variable with the secret. */
  client_secret: object({ secret: matching(/^[A-Z][A-Z0-9_]{0,63}$/) }),
  /** The configured key that people get, narrowed. */
  key: matching(KEY_NAME),
});

/** The issuer of OpenID Connect at which people sign in. */
export interface Identity {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly key: string;
}

/** Read where people sign in; null for nowhere. Throws naming what cannot be read, and never the secret. */
export function readIdentity(env: Readonly<Record<string, unknown>>): Identity | null {
  const text = env[VARIABLE] ?? "";
  if (text === "") return null;
  const json = typeof text === "string" ? attemptNow((): unknown => JSON.parse(text)) : null;
  if (json?.ok !== true) throw new ConfigurationError(VARIABLE, "it is not JSON");
  const { value } = json;
  if (!identityForm.fits(value)) {
    const issues = toIssues(identityForm.schema().safeParse(value).error!, value);
    throw new ConfigurationError(
      VARIABLE,
      issues.map(({ path, expected }) => `${path} must be ${expected}`).join("; "),
    );
  }
  const unfit = refuseShared(value.issuer);
  if (unfit !== null) throw new ConfigurationError(VARIABLE, unfit);
  const { issuer, client_id: clientId, client_secret: secret, key } = value;
  const clientSecret = env[secret.secret];
  if (typeof clientSecret !== "string" || clientSecret === "")
    throw new ConfigurationError(VARIABLE, `there is no variable ${secret.secret} for client_secret`);
  return { issuer, clientId, clientSecret, key };
}

/** Microsoft Entra's hosts, in each of its clouds. */
const ENTRA = /^https:\/\/login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn)(?=\/|$)/i;
const DIRECTORY = /^\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/v2\.0$/;

/**
 * Say why an address of Microsoft Entra is no issuer: its documents for several directories (`common`, `organizations`) name
 * `…/{tenantid}/v2.0`, and its tokens the one directory that a person is of. Null where it may be one.
 */
function refuseShared(issuer: string): string | null {
  const [host] = ENTRA.exec(issuer) ?? [];
  if (host === undefined || DIRECTORY.test(issuer.slice(host.length))) return null;
  return `/issuer cannot be ${issuer}, because Microsoft Entra signs for one directory at a time: it must be ${host}/<id of your directory>/v2.0 (for personal accounts the id is 9188040d-6c67-4c5b-b112-36a304b66dad)`;
}

/** Find the configured key that people get. Throws where none or more than one has the name. */
export function findIdentityKey(identity: Identity | null, callers: readonly Caller[]): Caller | null {
  if (identity === null) return null;
  const [key, other] = callers.filter(({ name }) => name === identity.key);
  if (key === undefined || other !== undefined)
    throw new ConfigurationError(
      VARIABLE,
      `key must be the name of one key of VOLLEY_KEYS, received '${identity.key}', which ${key === undefined ? "none has" : "more than one has"}`,
    );
  return key;
}
