import type { Declaration, DeclarationRules } from "../../src/features/added-tools/declared/declaration.ts";
import { parseToolSecrets } from "../../src/features/added-tools/declared/secret-bindings.ts";
import { valueOf } from "./unwrap.ts";

/** The rules that the operator of the samples sets. */
export const RULES: DeclarationRules = {
  tenant: "acme",
  secrets: valueOf(
    parseToolSecrets(JSON.stringify({ CRM_TOKEN: { tenants: ["acme"], hosts: ["api.example.com"] } })),
  ),
  trustedOrigins: new Set(),
};

/** A read with something of everything, changed where a test says so. */
export function declareCustomers(changes: Partial<Declaration> = {}): Declaration {
  return {
    name: "find_customers",
    summary: "Find a customer by email",
    description: "Customers with an email address. Size: about 80 tokens each.",
    category: "crm",
    actions: ["search"],
    is_write: false,
    input_schema: {
      type: "object",
      properties: { email: { type: "string" }, limit: { type: "integer" }, region: { type: "string" } },
      required: ["email"],
    },
    http: {
      method: "GET",
      url: "https://api.example.com/{region}/customers",
      query: ["email", "limit"],
      headers: { "accept-version": "2" },
      auth: { secret: "CRM_TOKEN", as: "bearer" },
      result: "/data/items",
    },
    execution: "sync",
    timeout_ms: 10_000,
    orchestration: { mode: "fan-out-bounded", max_concurrency: 5, on_error: "partial-success" },
    ...changes,
  };
}
