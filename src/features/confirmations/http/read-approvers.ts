import * as z from "zod/mini";

import { readOwnUrl } from "../../../cloudflare/configuration.ts";
import type { Configured, Env } from "../../../feature/define.ts";
import { attemptNow, ConfigurationError } from "../../../feature/refuse.ts";
import { toHint } from "../../../core/contract/issues.ts";
import { getOrMake } from "../../../core/kit/get-or-make.ts";
import { escapeUnseen, strictSchema, toIssues, visibleText } from "../../../feature/schema.ts";
import type { Approver } from "../approvers.ts";
import * as LIMITS from "../limits.ts";
import { stillDecides } from "../recall.ts";

export const APPROVERS = "VOLLEY_APPROVERS";
export const MAIL_FROM = "VOLLEY_MAIL_FROM";
/** The binding that sends mail. */
const EMAIL = "EMAIL";

const written = () => z.string().check(z.minLength(1), z.maxLength(LIMITS.approvalNameCharacters));
const names = () => z.optional(z.array(written()).check(z.minLength(1)));

const approverSchema = strictSchema(() => ({
  name: written().check(
    z.refine((name) => name.trim() === name && escapeUnseen(name) === name, "a name that can be seen"),
  ),
  slack: z.optional(z.strictObject({ secret: written() })),
  email: z.optional(
    z.string().check(z.regex(/^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/, "an address")),
  ),
  webhook: z.optional(z.strictObject({ url: z.url(), secret: written() })),
  for: z.optional(
    z.strictObject({ tools: names(), categories: names(), subjects: names(), tenants: names() }),
  ),
}));

const known = new WeakMap<Env, readonly Approver[]>();

/** Read who is asked; throws, naming what is missing, where one of them could not be. */
export function readApprovers(env: Env): readonly Approver[] {
  return getOrMake(known, env, () => parseApprovers(env));
}

function parseApprovers(env: Env): readonly Approver[] {
  const text = env[APPROVERS] ?? "";
  if (text === "") return [];
  const json = attemptNow((): unknown => JSON.parse(String(text)));
  if (!json.ok) throw new ConfigurationError(APPROVERS, "it is no JSON");
  const list = z.array(approverSchema()).check(z.maxLength(LIMITS.approvers));
  const parsed = list.safeParse(json.value);
  if (!parsed.success) throw new ConfigurationError(APPROVERS, toHint(toIssues(parsed.error, json.value)));
  const approvers = parsed.data;
  const said = approvers.map(({ name }) => name);
  if (new Set(said).size < said.length)
    throw new ConfigurationError(APPROVERS, "two approvers have one name");
  for (const { name, slack, email, webhook } of approvers) {
    if ([slack, email, webhook].filter((way) => way !== undefined).length !== 1)
      throw new ConfigurationError(APPROVERS, `'${visibleText(name)}' needs one of slack, email and webhook`);
    const { secret } = { ...slack, ...webhook };
    if (secret !== undefined) requireText(env, secret, `'${visibleText(name)}' is asked with it`);
    if (email === undefined) continue;
    const { send } = (env[EMAIL] ?? {}) as { readonly send?: unknown };
    if (typeof send !== "function")
      throw new ConfigurationError(
        EMAIL,
        'mail to approvers needs the binding: [[send_email]] with name = "EMAIL" in wrangler.toml',
      );
    requireText(env, MAIL_FROM, "mail to approvers is sent from it");
  }
  if (approvers.length > 0 && readOwnUrl(env) === null)
    throw new ConfigurationError("VOLLEY_URL", "the links of approvers begin with it");
  return approvers;
}

function requireText(env: Env, name: string, why: string): void {
  const value = env[name];
  if (typeof value !== "string" || value === "") throw new ConfigurationError(name, `it is missing: ${why}`);
}

/** Somebody who decides, or a link under their name. */
interface Sayer {
  readonly name: string;
  readonly isApprover: boolean;
  /** The digest of the key that says it, or made the link; undefined where no key did. */
  readonly hash: string | undefined;
}

/**
 * Whether somebody may still decide: an approver as long as the configuration has the name, others as long as their key may. Throws
 * where that cannot be found out.
 */
export async function stillCounts(
  { name, isApprover, hash }: Sayer,
  tenant: string,
  configured: Pick<Configured, "callerOfHash" | "env">,
): Promise<boolean> {
  if (isApprover) return readApprovers(configured.env).some((one) => one.name === name);
  return hash === undefined || stillDecides(hash, tenant, configured);
}
