import { guardHeaders } from "../../../core/egress/guard-headers.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";
import type { Auth, DeclarationRules } from "./declaration.ts";
import type { Problems } from "./problems.ts";
import { isBound } from "./secret-bindings.ts";

interface AuthCheck {
  readonly path: readonly PropertyKey[];
  /** Where the secret would go; null where the address is wrong. */
  readonly origin: string | null;
  readonly rules: DeclarationRules;
  readonly problems: Problems;
}

/**
 * Find what is wrong with how a call says who it is. Whether a secret exists that is bound to somebody else is not to be
 * learned from it.
 */
export function checkAuth(auth: Auth | undefined, { path, origin, rules, problems }: AuthCheck): void {
  if (auth === undefined) return;
  const { secret, as } = auth;
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
