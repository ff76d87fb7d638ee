import { isWritten, listOf } from "../../../core/contract/json.ts";
import { isJsonObject, visibleText } from "../../../feature/schema.ts";
import { attemptNow, err, ok, type Result } from "../../../feature/refuse.ts";
import { toOrigin } from "../../../core/catalog/define-tool.ts";

/** Where secrets may go: by their names, the tenants whose tools may carry each, and the origins they may carry it to. */
export type ToolSecrets = ReadonlyMap<string, SecretBinding>;

interface SecretBinding {
  readonly tenants: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

/** Whose tool it is, and which origin it calls. */
export interface SecretUse {
  readonly tenant: string;
  readonly origin: string;
}

/** Whether the operator has bound a secret to both a tenant and an origin; nothing is bound by itself. */
export function isBound(secret: string, { tenant, origin }: SecretUse, secrets: ToolSecrets): boolean {
  return isBoundTo(secret, tenant, secrets) && secrets.get(secret)!.origins.has(origin);
}

/** Whether the operator has bound a secret to a tenant: enough for what is not sent anywhere, as a webhook's. */
export function isBoundTo(secret: string, tenant: string, secrets: ToolSecrets): boolean {
  return secrets.get(secret)?.tenants.has(tenant) === true;
}

/**
 * Parse `VOLLEY_TOOL_SECRETS`: `{"CRM_TOKEN": {"tenants": ["acme"], "hosts": ["api.example.com"]}}`, where a host may be a
 * whole origin. Nothing written binds nothing. The reason says which secret is written wrong and how, and no value of any.
 */
export function parseToolSecrets(text: string | undefined): Result<ToolSecrets, string> {
  if (text === undefined || text.trim() === "") return ok(new Map());
  const parsed = attemptNow(() => JSON.parse(text) as unknown);
  if (!parsed.ok) return err("it must be JSON");
  if (!isJsonObject(parsed.value)) return err("it must be an object of secrets by their names");
  const secrets = new Map<string, SecretBinding>();
  for (const [name, value] of Object.entries(parsed.value)) {
    const binding = parseBinding(value);
    if (!binding.ok) return err(`'${visibleText(name)}' ${binding.error}`);
    secrets.set(name, binding.value);
  }
  return ok(secrets);
}

const names = listOf(isWritten);
/** None where it is for webhooks alone, which it is carried nowhere for. */
const hostNames = listOf(isWritten, { min: 0 });

function parseBinding(value: unknown): Result<SecretBinding, string> {
  if (!isJsonObject(value)) return err('must be {"tenants": [...], "hosts": [...]}');
  const stray = Object.keys(value).find((key) => key !== "tenants" && key !== "hosts");
  if (stray !== undefined)
    return err(`has a field '${visibleText(stray)}', and there are only 'tenants' and 'hosts'`);
  const { tenants, hosts } = value;
  if (!names(tenants)) return err("needs 'tenants', an array of tenants' names");
  if (!hostNames(hosts)) return err("needs 'hosts', an array of host names or origins");
  const origins = new Set<string>();
  for (const host of hosts as string[]) {
    const origin = toOrigin(host);
    // A URL parser takes `*` for a letter.
    const isHost = origin !== null && /^https?:[^*]+$/.test(origin);
    if (!isHost || ![origin, origin.replace("https://", "")].includes(host))
      return err(`has the host '${visibleText(host, 100)}', which is neither a host name nor an origin`);
    origins.add(origin);
  }
  return ok({ tenants: new Set(tenants as string[]), origins });
}
