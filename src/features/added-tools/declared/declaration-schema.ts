import * as z from "zod/mini";

import { isJsonObject, lazySchema, strictSchema } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { orchestrationSchema } from "../../../feature/tool.ts";
import { NAME_IN_WORDS, TOOL_NAME } from "../../../core/catalog/define-tool.ts";

const WORD = /^[a-z][a-z0-9_-]{0,63}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const POINTER = /^(?:\/(?:[^~]|~[01])*)?$/;

const word = (): z.ZodMiniString =>
  z
    .string()
    .check(z.regex(WORD, "a lower-case word: a letter, then letters, digits, '_' or '-', 64 at most"));

/** Text that says something. */
const text = (most: number): z.ZodMiniString =>
  z.string().check(z.regex(/\S/, "text that says something"), z.maxLength(most));

/** The shape of a declaration, field by field. `parseDeclaration` then looks at the fields together. */
export const declarationSchema = strictSchema(() => ({
  name: z.string().check(z.regex(TOOL_NAME, NAME_IN_WORDS)),
  summary: text(LIMITS.summaryCharacters),
  description: text(LIMITS.descriptionCharacters),
  category: word(),
  actions: z.array(word()).check(z.minLength(1), z.maxLength(10)),
  is_write: z.boolean(),
  execution: z.optional(z.enum(["sync", "fire-and-forget"])),
  timeout_ms: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxDeadlineMs))),
  idempotent: z.optional(z.union([z.boolean(), z.literal("with-key")], "true, false or 'with-key'")),
  delivery: z.optional(z.enum(["at-least-once", "at-most-once"])),
  private: z.optional(
    z.boolean().check(z.describe("Its arguments and results are in no record of what ran")),
  ),
  upstream_errors: z.optional(
    z.boolean().check(z.describe("false: what the service says of a refusal is not told")),
  ),
  orchestration: z.optional(orchestrationSchema()),
  input_schema: z.custom<Record<string, unknown>>(isJsonObject, "a JSON Schema of an object"),
  http: z.optional(httpSchema()),
  mcp: z.optional(mcpSchema()),
}));

const secretAuthSchema = strictSchema(() => ({
  secret: z.string().check(z.regex(VARIABLE, "the name of a secret: letters, digits and '_'")),
  as: z.union(
    [
      z.literal("bearer"),
      z.literal("basic"),
      z.strictObject({ header: z.string().check(z.minLength(1), z.maxLength(128)) }),
      z.strictObject({ query: z.string().check(z.minLength(1), z.maxLength(128)) }),
    ],
    "'bearer', 'basic', {\"header\": name} or {\"query\": name}",
  ),
}));

/** Which account of the subject is used. */
export const connectionForm = lazySchema(() =>
  z.union(
    [
      z.string().check(z.regex(CONNECTOR)),
      z
        .record(
          z.string().check(z.regex(CONNECTOR)),
          z.array(z.string().check(z.minLength(1), z.maxLength(200))),
        )
        .check(z.refine((scopes) => Object.keys(scopes).length === 1, { error: "one connector" })),
    ],
    "a connector's name, or an object with its scopes under its name",
  ),
);

/** A secret and its place, or the account of a subject. */
const callAuthSchema = lazySchema("CallAuth", () =>
  z
    .extend(z.partial(secretAuthSchema()), {
      also: z
        .optional(z.array(secretAuthSchema()).check(z.minLength(1), z.maxLength(3)))
        .check(z.describe("Further secrets that the same call carries, elsewhere")),
      connection: z.optional(connectionForm()),
    })
    .check(
      z.refine(({ secret, connection }) => secret !== undefined || connection !== undefined, {
        path: ["secret"],
        error: "a secret's name, or 'connection' in its place",
      }),
      z.refine(({ as, connection }) => as !== undefined || connection !== undefined, {
        path: ["as"],
        error: "'bearer', 'basic', {\"header\": name} or {\"query\": name}",
      }),
      z.refine(
        ({ secret, as, also, connection }) =>
          connection === undefined || (secret ?? as ?? also) === undefined,
        {
          path: ["connection"],
          error: "nothing, or alone, without 'secret' and 'as'",
        },
      ),
    ),
);

const CONNECTOR = /^[a-z][a-z0-9_-]{0,63}$/;

const sentSchema = lazySchema(() =>
  z.union(
    [
      z.string().check(z.minLength(1)),
      z.strictObject({
        argument: z.string().check(z.minLength(1)),
        name: z.string().check(z.minLength(1)),
        list: z.optional(z.enum(["repeat", "comma", "space", "pipe", "json", "index", "spread"])),
      }),
    ],
    'an argument\'s name, or {"argument", "name"}',
  ),
);

const entries = lazySchema(() => z.array(sentSchema()).check(z.maxLength(LIMITS.declarationEntries)));

export const httpSchema = strictSchema("HttpCall", () => ({
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
  url: z.string().check(z.minLength(1), z.maxLength(LIMITS.declaredUrlCharacters)),
  query: z.optional(entries()),
  headers: z.optional(
    z.record(z.string(), z.string()).check(
      z.refine((headers) => Object.keys(headers).length <= LIMITS.declarationEntries, {
        error: `at most ${LIMITS.declarationEntries} headers`,
      }),
    ),
  ),
  body: z.optional(
    z.union(
      [z.literal("args"), entries(), z.strictObject({ argument: z.string().check(z.minLength(1)) })],
      "'args', an array of arguments' names, or {\"argument\": name}",
    ),
  ),
  body_required: z
    .optional(z.array(z.string().check(z.minLength(1))).check(z.maxLength(LIMITS.declarationEntries)))
    .check(
      z.describe(
        "The body may be left out whole; a call that gives one of its fields gives these. Models see them as required",
      ),
    ),
  auth: z.optional(callAuthSchema()),
  result: z.optional(z.string().check(z.regex(POINTER, "a JSON Pointer, such as /data/items"))),
}));

export const mcpSchema = strictSchema("McpCall", () => ({
  url: z.string().check(z.minLength(1), z.maxLength(LIMITS.declaredUrlCharacters)),
  tool: z.string().check(z.minLength(1), z.maxLength(256)),
  fingerprint: z.string().check(z.minLength(1), z.maxLength(128)),
  auth: z.optional(callAuthSchema()),
}));

export const authFields = ["secret", "as", "also", "connection"] as const;
