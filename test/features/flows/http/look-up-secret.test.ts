import { describe, expect, test } from "vitest";

import type { Configured } from "../../../../src/cloudflare/configured.ts";
import { lookUpSecret } from "../../../../src/features/flows/http/flow-issues.ts";

/** A deployment that binds `HOOK_SECRET` to acme. Its tenants have secrets of their own where `own` is given. */
function configure(
  secrets: Readonly<Record<string, string>>,
  own?: () => Promise<string | null>,
): Configured {
  const VOLLEY_TOOL_SECRETS = JSON.stringify({
    HOOK_SECRET: { tenants: ["acme"], hosts: ["hooks.example.com"] },
  });
  const ports = { secret: (name: string) => secrets[name], secretOf: own };
  return { env: { VOLLEY_TOOL_SECRETS }, ports } as unknown as Configured;
}

const lookUp = (configured: Configured, tenant = "acme") =>
  lookUpSecret("HOOK_SECRET", { tenant, configured });

describe("lookUpSecret()", () => {
  test("gives the Worker's own secret to a tenant that it is bound to, and to no other", async () => {
    const configured = configure({ HOOK_SECRET: "shared" });
    expect(await lookUp(configured)).toEqual({ ok: true, value: "shared" });
    expect(await lookUp(configured, "other")).toEqual({ ok: false, error: "unbound" });
  });

  test("prefers the tenant's own, and where that cannot be looked up gives none", async () => {
    const secrets = { HOOK_SECRET: "shared" };
    expect(await lookUp(configure(secrets, async () => "own"))).toEqual({ ok: true, value: "own" });
    expect(await lookUp(configure(secrets, async () => null))).toEqual({ ok: true, value: "shared" });
    const failing = configure(secrets, () => Promise.reject(new Error("down")));
    expect(await lookUp(failing)).toEqual({ ok: false, error: "lookup-failed" });
  });

  test.each([{}, { HOOK_SECRET: "" }])(
    "says of a Worker with %o that the secret is not set",
    async (secrets) => {
      expect(await lookUp(configure(secrets))).toEqual({ ok: false, error: "unset" });
    },
  );
});
