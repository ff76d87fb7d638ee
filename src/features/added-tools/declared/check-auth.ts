import { guardHeaders } from "../../../core/egress/guard-headers.ts";
import { visibleText } from "../../../feature/schema.ts";
import {
  type Auth,
  type ConnectionAuth,
  connectorOf,
  type DeclarationRules,
  isConnection,
  secretsOf,
} from "./declaration.ts";
import type { Problems } from "./problems.ts";
import { isBound } from "./secret-bindings.ts";

interface AuthCheck {
  readonly path: readonly PropertyKey[];
  /** Where the secret would go; null where the address is wrong. */
  readonly origin: string | null;
  readonly rules: DeclarationRules;
  readonly problems: Problems;
}

/** Find what is wrong with how a call says who it is. */
export function checkAuth(auth: Auth | ConnectionAuth | undefined, check: AuthCheck): void {
  if (isConnection(auth)) return checkConnection(auth, check);
  const taken = new Set<string>();
  for (const [index, each] of secretsOf(auth).entries()) {
    const path = index === 0 ? check.path : [...check.path, "also", index - 1];
    checkSecret(each, { ...check, path });
    const place = JSON.stringify(
      typeof each.as === "string" ? { header: "authorization" } : each.as,
    ).toLowerCase();
    if (taken.has(place)) check.problems.add([...path, "as"], "a place that no other secret has", each.as);
    taken.add(place);
  }
}

/**
 * Find what is wrong with the secret of a call. Whether one exists that is bound to somebody else is not to be
 * learned from it.
 */
function checkSecret({ secret, as }: Omit<Auth, "also">, { path, origin, rules, problems }: AuthCheck): void {
  if (typeof as === "object" && "header" in as) {
    const guarded = guardHeaders({ [as.header]: "x" });
    if (!guarded.ok)
      problems.add([...path, "as", "header"], "a header that a tool may set", as.header, {
        hint: guarded.error.hint,
      });
  }
  const { tenant, secrets } = rules;
  if (secrets === null || origin === null || isBound(secret, { tenant, origin }, secrets)) return;
  const host = origin.replace("https://", "");
  problems.add([...path, "secret"], `a secret bound to tenant '${visibleText(tenant)}' and ${host}`, secret, {
    hint: `The operator has not bound this secret to the tenant '${visibleText(tenant)}' and the host ${host} in VOLLEY_TOOL_SECRETS; ask for that, or take 'auth' out.`,
  });
}

/** Find what is wrong with the account that a call would use: its credentials go to its connector's hosts only. */
function checkConnection(auth: ConnectionAuth, { path, origin, rules, problems }: AuthCheck): void {
  const { tenant, secrets, originsOf } = rules;
  if (secrets === null || origin === null) return;
  const name = connectorOf(auth);
  const at = [...path, "connection"];
  if (originsOf === undefined) {
    problems.add(at, "nothing, because this Worker has no connections", name);
    return;
  }
  const origins = originsOf(name, tenant);
  if (origins?.has(origin) === true) return;
  const host = origin.replace("https://", "");
  problems.add(at, `a connector of tenant '${visibleText(tenant)}' whose hosts have ${host}`, name, {
    hint:
      origins === null
        ? `The operator has no connector '${visibleText(name)}' for this tenant in VOLLEY_CONNECTORS; ask for one, or take 'auth' out.`
        : `The connector '${visibleText(name)}' does not name the host ${host} in VOLLEY_CONNECTORS, and its credentials go to its own hosts only; ask for that, or take 'auth' out.`,
  });
}
