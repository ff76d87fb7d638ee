import * as z from "zod";

/** What a provider returned: its own documents say what is in it. */
export const turnSchema = z
  .union([z.looseObject({}), z.array(z.looseObject({}))])
  .meta({ id: "Turn", description: "The provider's response, its message, or its calls" });

export const chatAnswerSchema = z
  .strictObject({
    messages: z.array(
      z.union([
        z.strictObject({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
        z.strictObject({ role: z.literal("function"), name: z.string(), content: z.string() }),
      ]),
    ),
  })
  .meta({ id: "ChatAnswer" });

export const responsesAnswerSchema = z
  .strictObject({
    output: z.array(
      z.strictObject({
        type: z.enum(["function_call_output", "custom_tool_call_output"]),
        call_id: z.string(),
        output: z.string(),
      }),
    ),
  })
  .meta({ id: "ResponsesAnswer" });

export const anthropicAnswerSchema = z
  .strictObject({
    messages: z.array(
      z.strictObject({
        role: z.literal("user"),
        content: z.array(
          z.strictObject({
            type: z.literal("tool_result"),
            tool_use_id: z.string(),
            content: z.string(),
            is_error: z.literal(true).optional(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: "AnthropicAnswer" });

export const geminiAnswerSchema = z
  .strictObject({
    messages: z.array(
      z.strictObject({
        role: z.literal("user"),
        parts: z.array(
          z.strictObject({
            functionResponse: z.strictObject({
              id: z.string().optional(),
              name: z.string(),
              response: z.looseObject({}),
            }),
          }),
        ),
      }),
    ),
  })
  .meta({ id: "GeminiAnswer" });
