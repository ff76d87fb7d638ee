import type * as z from "zod/mini";

import { declarationError } from "../../../core/catalog/check-declaration.ts";
import { inputSchema, type Tool } from "../../../feature/tool.ts";
import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import { type Declaration, sampleUrl } from "./declaration.ts";
import { parseDeclaration } from "./parse-declaration.ts";
import { toTool } from "./to-tool.ts";

/** The author's declaration of a tool that is one request: its input may be a Zod schema. */
export type HttpToolDeclaration = Omit<Declaration, "input_schema" | "mcp" | "http"> &
  Required<Pick<Declaration, "http">> &
  ({ readonly input_schema: JsonSchema } | { readonly input: z.core.$ZodType });

/**
 * Declare a tool that is one request to an API of yours. A declaration that cannot work throws at start-up with the tool's name
 * and all that is wrong with it. The operator wrote it, so its secret needs no binding in `VOLLEY_TOOL_SECRETS`.
 *
 * With `input`, a Zod schema, arguments are checked and changed by it as those of `defineTool` are.
 *
 * @example
 * const findCustomer = httpTool({
 *   name: "find_customer",
 *   summary: "Find a customer by email",
 *   description: "The customer with an email address. Size: about 80 tokens.",
 *   category: "crm",
 *   actions: ["search"],
 *   is_write: false,
 *   input: z.strictObject({ email: z.string() }),
 *   http: { method: "GET", url: "https://api.example.com/customers", auth: { secret: "CRM_TOKEN", as: "bearer" } },
 * });
 */
export function httpTool(declared: HttpToolDeclaration): Tool {
  const { name } = declared;
  const { input, ...declaration } = { input: undefined, ...declared };
  const schema =
    input === undefined ? declaration : { ...declaration, input_schema: inputSchema({ name, input }) };
  // Fields that JSON leaves out are absent.
  const value: unknown = JSON.parse(JSON.stringify(schema));
  // A host of the author's own machine is for the Worker's start to judge, as it is of every tool in code.
  const origin = URL.parse(sampleUrl(String((declared as Partial<Declaration>).http?.url)))?.origin ?? "";
  const parsed = parseDeclaration(value, { tenant: "", secrets: null, trustedOrigins: new Set([origin]) });
  if (!parsed.ok)
    throw declarationError(
      name,
      parsed.error.map(({ path, hint }) => `${path || "the declaration"}: ${hint}`),
    );
  const tool = toTool(parsed.value, { secrets: null });
  return input === undefined ? tool : { ...tool, input };
}
