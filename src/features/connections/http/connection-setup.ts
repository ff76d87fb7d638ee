import { ConfigurationError } from "../../../feature/refuse.ts";
import { readList, textOf } from "../../../cloudflare/configuration.ts";
import { type Configured, createSlot, type Env, type Vault } from "../../../feature/define.ts";
import { KEY_EXPECTED, VAULT_KEY, vaultOf } from "../../../cloudflare/vault.ts";
import { toOrigin } from "../../../core/catalog/define-tool.ts";
import { visibleText } from "../../../feature/schema.ts";
import type { Connectors } from "../connectors/connector.ts";
import { parseConnectors } from "../connectors/parse-connectors.ts";

/** The connections of a deployment, as its variables say. */
export interface ConnectionSetup {
  readonly connectors: Connectors;
  readonly vault: Vault;
  /** The origins that a person may be sent back to. */
  readonly returnOrigins: ReadonlySet<string>;
}

/** Read the variables of connections. Throws naming the one that cannot be read. */
export const connectionSetupOf = createSlot((configured): ConnectionSetup => {
  const connectors = readConnectors(configured);
  const vault = vaultOf(configured);
  // Without connectors nothing is ever sealed.
  if (!vault.canSeal && connectors.size > 0) throw new ConfigurationError(VAULT_KEY, KEY_EXPECTED);
  return { connectors, vault, returnOrigins: readReturnOrigins(configured.env) };
});

const CONNECTORS = "VOLLEY_CONNECTORS";
const RETURN_ORIGINS = "VOLLEY_RETURN_ORIGINS";

function readConnectors({ env, ports, trustedOrigins }: Configured): Connectors {
  const text = textOf(env, CONNECTORS) ?? "";
  if (text.trim() === "") return new Map();
  const parsed = parseConnectors(text, trustedOrigins);
  if (!parsed.ok) throw new ConfigurationError(CONNECTORS, parsed.error);
  for (const connector of parsed.value.values())
    if (connector.kind === "oauth2" && ports.secret(connector.secret) === undefined)
      throw new ConfigurationError(
        connector.secret,
        `${CONNECTORS} names it as the secret of '${connector.name}', and it is not set`,
      );
  return parsed.value;
}

function readReturnOrigins(env: Env): ReadonlySet<string> {
  const origins = readList(env, RETURN_ORIGINS);
  for (const origin of origins)
    if (toOrigin(origin) !== origin || !/^https?:/.test(origin))
      throw new ConfigurationError(
        RETURN_ORIGINS,
        `'${visibleText(origin)}' must be an origin, such as https://app.example.com, without a path`,
      );
  return origins;
}
