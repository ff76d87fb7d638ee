import * as z from "zod";

import { TOOL_SURFACES } from "../../catalog/tool-surface.ts";
import { orchestrationSchema } from "../../contract/orchestration.ts";
import { TOOL_FORMATS } from "../../formats/tool-list.ts";

export const toolListQuerySchema = z.strictObject({
  format: z.enum(TOOL_FORMATS).optional(),
  surface: z.enum(TOOL_SURFACES).optional(),
});

export const toolListSchema = z
  .strictObject({
    tools: z.array(z.looseObject({})).describe("In the format's own shape, ready to paste into a model call"),
  })
  .meta({ id: "ToolList" });

const jsonSchema = z.looseObject({}).describe("JSON Schema, 2020-12");

export const discoveryAnswerSchema = z
  .strictObject({
    tools: z.array(
      z.strictObject({
        name: z.string(),
        summary: z.string(),
        category: z.string(),
        actions: z.array(z.string()),
        is_write: z.boolean(),
        parameters: jsonSchema
          .optional()
          .meta({ description: 'The properties; of the first tools, with `detail: "schema"`' }),
        required: z.array(z.string()).optional(),
      }),
    ),
    total: z.int().min(0),
    hint: z.string().optional(),
  })
  .meta({ id: "Discovery" });

export const toolDescriptionSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    parameters: jsonSchema,
    required: z.array(z.string()),
    is_write: z.boolean(),
    input_schema: jsonSchema,
    "x-orchestration": orchestrationSchema(),
  })
  .meta({ id: "ToolDescription" });
