import { configureKeys } from "../../test/support/configured-keys.ts";

const AMPLE = { limit: 1_000_000, window_s: 60 };

/** The quota of the tenant that asks for more than it may have, all the time. */
export const FLOOD_QUOTA = { limit: 100, windowS: 10 };

/** Who calls: five tenants, one of which floods. The names of tenants and of the keys of two are the sandbox's. */
export const KEYS = {
  reader: "soak-reader-key",
  writer: "soak-writer-key",
  admin: "sandbox-admin-key",
  flood: "soak-flood-key",
  model: "soak-model-key",
} as const;

export function configureSoakKeys(): Promise<string> {
  const tenant = (name: string) => ({ name, tenant: name, quota: AMPLE });
  return configureKeys({
    [KEYS.reader]: tenant("soak-reader"),
    [KEYS.writer]: { ...tenant("soak-writer"), flags: ["approve"] },
    [KEYS.admin]: {
      ...tenant("sandbox-admin"),
      name: "admin",
      flags: ["approve", "manage_tools", "manage_keys"],
    },
    [KEYS.flood]: {
      ...tenant("soak-flood"),
      quota: { limit: FLOOD_QUOTA.limit, window_s: FLOOD_QUOTA.windowS },
    },
    [KEYS.model]: tenant("soak-model"),
  });
}

/** Secrets that must come out nowhere, by the variable that holds them. */
export const SECRETS = {
  PROBE_SECRET: "canary-probe-8f2c41d09b",
  SANDBOX_SECRET: "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=",
  LLM_API_KEY: "canary-llm-77a1e0c45d",
  VOLLEY_WEBHOOK_SECRET: "whsec_Y2FuYXJ5LXdlYmhvb2stMzItYnl0ZXMtbG9uZy0xMjM0",
} as const;

/** All that is looked for in answers, lines and files: secrets, and the keys of callers. */
export const CANARIES: readonly string[] = [...Object.values(SECRETS), ...Object.values(KEYS)];
