import { isBoundTo } from "../../added-tools/declared/secret-bindings.ts";
import type { Configured } from "../../../cloudflare/configured.ts";
import type { MissingSecret } from "../hooks/secret-flaw.ts";
import { attempt, err, ok, type Result } from "../../../core/kit/result.ts";
import { toolSettingsOf } from "../../added-tools/http/tool-settings.ts";

/** Look up a secret that the operator has bound to a tenant, or say why there is none. */
export async function lookUpSecret(
  name: string,
  { tenant, configured }: { readonly tenant: string; readonly configured: Configured },
): Promise<Result<string, MissingSecret>> {
  const { ports } = configured;
  if (!isBoundTo(name, tenant, toolSettingsOf(configured).secrets)) return err("unbound");
  const own = await attempt(() => ports.secretOf?.(name, { tenant, key: "" }));
  // Where the tenant may have its own, no other is good enough.
  if (!own.ok) return err("lookup-failed");
  const text = typeof own.value === "string" && own.value !== "" ? own.value : ports.secret(name);
  return text === undefined || text === "" ? err("unset") : ok(text);
}
