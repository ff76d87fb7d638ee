import * as z from "zod";

import { type DeclarationIssue, Problems } from "../../../catalog/declared/problems.ts";
import { explainMisfit } from "../../../contract/issues.ts";
import { lazySchema, type Written } from "../../../contract/lazy-schema.ts";
import { LIMITS } from "../../../contract/limits.ts";
import { orchestrationSchema } from "../../../contract/orchestration.ts";
import { err, ok, type Result } from "../../../kit/result.ts";
import { isAbsolute } from "./choose-server.ts";

const secretSchema = lazySchema(() =>
  z.strictObject({
    secret: z.string().min(1).max(128).describe("Name of the secret"),
    as: z
      .union(
        [
          z.literal("bearer"),
          z.literal("basic"),
          z.strictObject({ header: z.string().min(1).max(128) }),
          z.strictObject({ query: z.string().min(1).max(128) }),
        ],
        "'bearer', 'basic', {\"header\": name} or {\"query\": name}",
      )
      .optional()
      .describe("How it is sent; what the document's security scheme says unless said"),
  }),
);

const overrideSchema = lazySchema(() =>
  z.strictObject({
    name: z.string().optional().describe("Begins with the prefix"),
    summary: z.string().min(1).optional(),
    description: z.string().min(1).optional(),
    category: z.string().optional(),
    actions: z.array(z.string()).min(1).optional(),
    is_write: z.boolean().optional(),
    timeout_ms: z.int().optional(),
    idempotent: z.union([z.boolean(), z.literal("with-key")], "true, false or 'with-key'").optional(),
    confirm: z.enum(["always", "never"]).optional().describe("Whether it needs a person's yes"),
    orchestration: orchestrationSchema().optional(),
    result: z.string().optional().describe("JSON Pointer to the part of the answer that is the tool's data"),
  }),
);

/** The options of an import of a document, besides the document. */
export const importOptionsSchema = lazySchema(() =>
  z.strictObject({
    prefix: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/)
      .describe("What the names of the tools begin with"),
    include: z
      .array(z.string().min(1))
      .min(1)
      .max(LIMITS.openApiOperations)
      .optional()
      .describe("Tags and operationIds to import; all unless said"),
    auth: z
      .union(
        [secretSchema(), z.strictObject({ schemes: z.record(z.string(), secretSchema()) })],
        '{"secret": name, "as"?} or {"schemes": {scheme: {"secret": name}}}',
      )
      .optional()
      .describe("The secret that requests carry, or one for each security scheme of the document"),
    base_url: z
      .string()
      .max(1_000)
      .optional()
      .describe("Where the API is, when the document's server does not say"),
    overrides: z
      .record(z.string(), overrideSchema())
      .optional()
      .describe("By operationId: what is to be said of a tool instead"),
  }),
);

export type ImportOptions = Written<typeof importOptionsSchema>;
export type Override = Written<typeof overrideSchema>;

/** Check the options of an import by themselves: fields, types, and what a value says. */
export function checkOptions(options: unknown): Result<ImportOptions, readonly DeclarationIssue[]> {
  const parsed = importOptionsSchema().safeParse(options);
  if (!parsed.success) {
    const { issues, hint } = explainMisfit(parsed.error, options, Object.keys(importOptionsSchema().shape));
    return err(issues.map((issue) => ({ ...issue, hint })));
  }
  const { base_url: baseUrl } = parsed.data;
  if (baseUrl === undefined || (isAbsolute(baseUrl) && !/[?#{}@\\]/.test(baseUrl))) return ok(parsed.data);
  const problems = new Problems();
  problems.add(["base_url"], "an absolute URL without user, query or fragment", baseUrl, {
    hint: "Write 'base_url' as the API's address, such as https://api.example.com/v1.",
  });
  return err(problems.issues);
}
