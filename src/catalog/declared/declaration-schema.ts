import * as z from "zod";

import { isJsonObject } from "../../contract/json.ts";
import { lazySchema } from "../../contract/lazy-schema.ts";
import { LIMITS } from "../../contract/limits.ts";
import { orchestrationSchema } from "../../contract/orchestration.ts";
import { TOOL_NAME } from "../define-tool.ts";

const WORD = /^[a-z][a-z0-9_-]{0,63}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const POINTER = /^(?:\/(?:[^~]|~[01])*)?$/;

/** Text that says something. */
const text = (most: number): z.ZodString => z.string().regex(/\S/, "text that says something").max(most);

/** The shape of a declaration, field by field. `parseDeclaration` then looks at the fields together. */
export const declarationSchema = lazySchema(() =>
  z.strictObject({
    name: z.string().regex(TOOL_NAME),
    summary: text(LIMITS.summaryCharacters),
    description: text(LIMITS.descriptionCharacters),
    category: z.string().regex(WORD),
    actions: z.array(z.string().regex(WORD)).min(1).max(10),
    is_write: z.boolean(),
    execution: z.enum(["sync", "fire-and-forget"]).optional(),
    timeout_ms: z.int().min(1).max(LIMITS.maxDeadlineMs).optional(),
    idempotent: z.union([z.boolean(), z.literal("with-key")], "true, false or 'with-key'").optional(),
    delivery: z.enum(["at-least-once", "at-most-once"]).optional(),
    orchestration: orchestrationSchema().optional(),
    input_schema: z.custom<Record<string, unknown>>(isJsonObject, "a JSON Schema of an object"),
    http: httpSchema().optional(),
    mcp: mcpSchema().optional(),
  }),
);

const authSchema = lazySchema(() =>
  z
    .strictObject({
      secret: z.string().regex(VARIABLE),
      as: z.union(
        [
          z.literal("bearer"),
          z.literal("basic"),
          z.strictObject({ header: z.string().min(1).max(128) }),
          z.strictObject({ query: z.string().min(1).max(128) }),
        ],
        "'bearer', 'basic', {\"header\": name} or {\"query\": name}",
      ),
    })
    .meta({ id: "CallAuth" }),
);

const sentSchema = lazySchema(() =>
  z.union(
    [
      z.string().min(1),
      z.strictObject({
        argument: z.string().min(1),
        name: z.string().min(1),
        list: z.enum(["repeat", "comma"]).optional(),
      }),
    ],
    'an argument\'s name, or {"argument", "name"}',
  ),
);

const entries = lazySchema(() => z.array(sentSchema()).max(LIMITS.declarationEntries));

export const httpSchema = lazySchema(() =>
  z
    .strictObject({
      method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
      url: z.string().min(1).max(LIMITS.declaredUrlCharacters),
      query: entries().optional(),
      headers: z
        .record(z.string(), z.string())
        .refine((headers) => Object.keys(headers).length <= LIMITS.declarationEntries, {
          error: `at most ${LIMITS.declarationEntries} headers`,
        })
        .optional(),
      body: z
        .union(
          [z.literal("args"), entries(), z.strictObject({ argument: z.string().min(1) })],
          "'args', an array of arguments' names, or {\"argument\": name}",
        )
        .optional(),
      auth: authSchema().optional(),
      result: z.string().regex(POINTER).optional(),
    })
    .meta({ id: "HttpCall" }),
);

export const mcpSchema = lazySchema(() =>
  z
    .strictObject({
      url: z.string().min(1).max(LIMITS.declaredUrlCharacters),
      tool: z.string().min(1).max(256),
      fingerprint: z.string().min(1).max(128),
      auth: authSchema().optional(),
    })
    .meta({ id: "McpCall" }),
);

/** The fields of `auth`. */
export const authFields = ["secret", "as"] as const;
