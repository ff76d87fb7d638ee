import * as z from "zod/mini";

import { connectionForm } from "../../added-tools/declared/declaration-schema.ts";
import { type DeclarationIssue, Problems } from "../../added-tools/declared/problems.ts";
import { explainMisfit } from "../../../core/contract/issues.ts";
import { strictSchema, type Written } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { orchestrationSchema } from "../../../feature/tool.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { isAbsolute } from "./choose-server.ts";

const secretSchema = strictSchema(() => ({
  secret: z.string().check(z.minLength(1), z.maxLength(128), z.describe("Name of the secret")),
  as: z
    .optional(
      z.union(
        [
          z.literal("bearer"),
          z.literal("basic"),
          z.strictObject({ header: z.string().check(z.minLength(1), z.maxLength(128)) }),
          z.strictObject({ query: z.string().check(z.minLength(1), z.maxLength(128)) }),
        ],
        "'bearer', 'basic', {\"header\": name} or {\"query\": name}",
      ),
    )
    .check(z.describe("How it is sent; what the document's security scheme says unless said")),
}));

const accountSchema = strictSchema(() => ({
  connection: connectionForm().check(z.describe("The connector whose account of the subject is used")),
}));

const overrideSchema = strictSchema(() => ({
  name: z.optional(z.string()).check(z.describe("Begins with the prefix")),
  summary: z.optional(z.string().check(z.minLength(1))),
  description: z.optional(z.string().check(z.minLength(1))),
  category: z.optional(z.string()),
  actions: z.optional(z.array(z.string()).check(z.minLength(1))),
  is_write: z.optional(z.boolean()),
  timeout_ms: z.optional(z.int()),
  idempotent: z.optional(z.union([z.boolean(), z.literal("with-key")], "true, false or 'with-key'")),
  confirm: z.optional(z.enum(["always", "never"])).check(z.describe("Whether it needs a person's yes")),
  orchestration: z.optional(orchestrationSchema()),
  result: z
    .optional(z.string())
    .check(z.describe("JSON Pointer to the part of the answer that is the tool's data")),
}));

const pairSchema = strictSchema(() => ({
  operation: z.string().check(z.describe("The operationId of the write that takes it back")),
  args: z
    .optional(z.record(z.string(), z.unknown()))
    .check(z.describe("Its arguments; 'result#' refers to the first one's output, 'args#' to its arguments")),
}));

/** The options of an import of a document, besides the document. */
export const importOptionsSchema = strictSchema(() => ({
  prefix: z
    .string()
    .check(
      z.regex(
        /^[A-Za-z][A-Za-z0-9_-]{0,31}$/,
        "a letter, then letters, digits, '_' or '-', at most 32 in all",
      ),
      z.describe("The beginning of the tools' names"),
    ),
  include: z
    .optional(
      z.array(z.string().check(z.minLength(1))).check(z.minLength(1), z.maxLength(LIMITS.openApiOperations)),
    )
    .check(z.describe("Tags and operationIds to import; all unless said")),
  auth: z
    .optional(
      z.union(
        [
          secretSchema(),
          accountSchema(),
          z.strictObject({ schemes: z.record(z.string(), z.union([secretSchema(), accountSchema()])) }),
        ],
        '{"secret": name, "as"?}, {"connection": connector} or {"schemes": {scheme: either}}',
      ),
    )
    .check(
      z.describe(
        "The secret that requests carry, or the account that they use; or one for each security scheme of the document",
      ),
    ),
  base_url: z
    .optional(z.string().check(z.maxLength(1_000)))
    .check(z.describe("Where the API is, when the document's server does not say")),
  overrides: z
    .optional(z.record(z.string(), overrideSchema()))
    .check(z.describe("By operationId: what is to be said of a tool instead")),
  compensate: z
    .optional(z.record(z.string(), pairSchema()))
    .check(z.describe("By operationId of a write: the operation that takes it back")),
}));

export type ImportOptions = Written<typeof importOptionsSchema>;
export type Override = Written<typeof overrideSchema>;

/** Check the options of an import by themselves: fields, types, and what a value says. */
export function checkOptions(options: unknown): Result<ImportOptions, readonly DeclarationIssue[]> {
  const parsed = importOptionsSchema().safeParse(options);
  if (!parsed.success) {
    const { issues, hint } = explainMisfit(parsed.error, options, {
      known: Object.keys(importOptionsSchema().shape),
    });
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
