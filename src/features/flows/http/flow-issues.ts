import type { Catalog } from "../../../feature/tool.ts";
import { formsOfSent } from "../declaration/check-hook.ts";
import { FLOWS, type KeptFlow } from "../declaration/flow-schema.ts";
import { describe, isJsonObject } from "../../../feature/schema.ts";
import { flawOf, type MissingSecret, SECRET_FLAWS, type SecretFlaw } from "../hooks/webhook-secret.ts";
import { attempt, err, ok, type Result } from "../../../feature/refuse.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import { isBoundTo } from "../../added-tools/declared/secret-bindings.ts";
import type { Configured } from "../../../feature/define.ts";
import { toolSettingsOf } from "../../added-tools/http/tool-settings.ts";
import type { FlowIssue } from "../wire-flow.ts";

type Asked = Pick<RequestContext, "catalog" | "allTools" | "caller" | "configured">;

/** Find why no delivery could be verified by the secret that a flow names, as it was sent; null where one can, or it names none. */
export async function findSecretFlaw(
  flow: unknown,
  { caller, configured }: Asked,
): Promise<SecretFlaw | null> {
  const triggers = isJsonObject(flow) ? flow["triggers"] : undefined;
  const webhook = isJsonObject(triggers) ? triggers["webhook"] : undefined;
  if (!isJsonObject(webhook) || typeof webhook["secret"] !== "string") return null;
  return flawOf(
    formsOfSent(webhook),
    await lookUpSecret(webhook["secret"], { tenant: caller.tenant, configured }),
  );
}

/**
 * Find what is to be said of a kept flow: its webhook's secret verifies nothing by now, or another flow's webhook has the same
 * one. The signature names no flow, so a delivery to the one is as good for the other.
 */
export async function findFlowIssues({ name, flow }: KeptFlow, asked: Asked): Promise<FlowIssue[]> {
  const secret = flow.triggers?.webhook?.secret;
  if (secret === undefined) return [];
  const path = "/triggers/webhook/secret";
  const issues: FlowIssue[] = [];
  const flaw = await findSecretFlaw(flow, asked);
  if (flaw !== null) {
    const { expected, hint } = SECRET_FLAWS[flaw];
    const severity = flaw === "unset" ? "warning" : "error";
    issues.push({ severity, path, expected, received: describe(secret), hint });
  }
  // Without the tenant's object other flows are not known; the flow is shown all the same.
  const all = await attempt(() => asked.allTools());
  const others = all.ok ? flowsWith(secret, all.value).filter((other) => other !== name) : [];
  if (others.length > 0)
    issues.push({
      severity: "warning",
      path,
      expected: "a secret that no other flow has",
      received: `the secret of ${sayFlows(others, asked.catalog)} too`,
      hint: "A delivery that is signed for one of these flows can be sent to the other, and runs it; name a secret of its own for each flow.",
    });
  return issues;
}

/** The flows of a tenant whose webhooks name a secret. */
function flowsWith(secret: string, { byCategory }: Catalog): string[] {
  // The kept text is JSON without spaces, so most of it need not be read.
  const named = `"secret":${JSON.stringify(secret)}`;
  return (byCategory.get(FLOWS) ?? []).flatMap(({ name, added }) => {
    if (added?.json.includes(named) !== true) return [];
    const kept = JSON.parse(added.json) as Partial<KeptFlow>;
    return kept.flow?.triggers?.webhook?.secret === secret ? [name] : [];
  });
}

/** Name one flow that the key may know of, and count the others. */
function sayFlows(names: readonly string[], visible: Catalog): string {
  const known = names.find((name) => visible.get(name) !== undefined);
  if (known === undefined) return names.length === 1 ? "another flow" : `${names.length} other flows`;
  return names.length === 1 ? `the flow '${known}'` : `the flow '${known}' and ${names.length - 1} more`;
}

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
