import { ConfigurationError } from "../../../feature/refuse.ts";
import { accountsOf } from "../../../feature/gives.ts";
import { type DeclarationRules, HTTPS_PORTS } from "../declared/declaration.ts";
import { parseToolSecrets, type ToolSecrets } from "../declared/secret-bindings.ts";
import { readList, textOf } from "../../../cloudflare/configuration.ts";
import { type Configured, createSlot, type Env } from "../../../feature/define.ts";
import type { RequestContext } from "../../../feature/answer.ts";

/** The settings of a deployment for tools that tenants add. Throws where one cannot be read. */
export const toolSettingsOf = createSlot(({ env, toolSecrets }) => ({
  secrets: readToolSecrets(env, toolSecrets),
  ports: readToolPorts(env),
}));

/** The rules for a declaration of the caller's tenant. */
export function rulesOf({
  caller,
  configured,
}: Pick<RequestContext, "caller" | "configured">): DeclarationRules {
  const { tenant } = caller;
  const { trustedOrigins } = configured;
  return {
    tenant,
    trustedOrigins,
    contract: configured.declared.contract,
    originsOf: accountsOf(configured)?.originsOf,
    ...toolSettingsOf(configured),
  };
}

/** Which secrets tools that tenants add may carry, and where to: `VOLLEY_TOOL_SECRETS`, and what is given besides. */
export function readToolSecrets(env: Env, given?: Configured["toolSecrets"]): ToolSecrets {
  const secrets = [given, textOf(env, "VOLLEY_TOOL_SECRETS")].map((text) => {
    const parsed = parseToolSecrets(text);
    if (parsed.ok) return parsed.value;
    throw new ConfigurationError("VOLLEY_TOOL_SECRETS", parsed.error);
  });
  return new Map(secrets.flatMap((bound) => [...bound]));
}

/** The ports that tools which tenants add may call: `VOLLEY_TOOL_PORTS`, separated by commas; 443 and 8443 where it is not set. */
export function readToolPorts(env: Env): ReadonlySet<number> {
  const listed = readList(env, TOOL_PORTS);
  if (listed.size === 0) return HTTPS_PORTS;
  return new Set(
    Array.from(listed, (text) => {
      const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
      if (port < 1 || port > 65_535)
        throw new ConfigurationError(TOOL_PORTS, `'${text}' must be a port from 1 to 65535`);
      return port;
    }),
  );
}

const TOOL_PORTS = "VOLLEY_TOOL_PORTS";
