import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import * as LIMITS from "../kit/limits.ts";
import { fromBase64 } from "../../core/kit/base64.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { keepObject } from "../kit/keep-object.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { textArgument, fanOut } from "../kit/arguments.ts";

const answerSchema = looseSchema(() => ({
  data: z.array(z.looseObject({ b64_json: z.string().check(z.minLength(1)) })).check(z.minLength(1)),
}));

/**
 * Generate an image with the OpenAI Images API, and keep it for the caller's tenant.
 *
 * The service begins to answer when the image is done, so its headers may take as long as the whole call, which is as long as a
 * job's attempt may be. Low quality and JPEG, because those are done within it. The service knows no idempotency key: an attempt
 * that is repeated makes, and bills, another image, which takes the place of the first.
 *
 * Source: https://platform.openai.com/docs/api-reference/images/create
 */
export const generateImage = defineTool({
  name: "generate_image",
  summary: "Generate an image from a description in the background",
  description:
    "Generate one image from a description. It is made in the background: the answer is a job, whose data says where the JPEG is " +
    "read: GET on its url with the same key. Size: about 70 tokens.",
  category: "images",
  actions: ["create", "generate"],
  isWrite: true,
  execution: "fire-and-forget",
  input: () =>
    z.strictObject({
      prompt: textArgument(LIMITS.promptCharacters, "The content of the image, in words."),
      size: z
        ._default(z.enum(["1024x1024", "1536x1024", "1024x1536", "auto"]), "1024x1024")
        .check(z.describe("Width and height in pixels, 1024x1024 unless said; auto lets the model choose.")),
    }),
  hosts: ["api.openai.com"],
  secrets: ["OPENAI_API_KEY"],
  bindings: ["OBJECTS"],
  timeoutMs: LIMITS.firstAttemptMs,
  headersTimeoutMs: LIMITS.firstAttemptMs,
  typicalTokens: 30,
  maxResponseBytes: LIMITS.maxResponseBytes,
  idempotent: "with-key",
  // The service's limits are per minute.
  orchestration: fanOut(2, 15_000),
  run: async ({ prompt, size }, ctx) => {
    const response = await ctx.fetch("https://api.openai.com/v1/images/generations", {
      method: "POST",
      headers: { Authorization: `Bearer ${ctx.secret("OPENAI_API_KEY")}` },
      body: { model: "gpt-image-2.5-flare", prompt, size, n: 1, quality: "low", output_format: "jpeg" },
    });
    const [image] = parseUpstream(answerSchema(), response).data;
    const bytes = attemptNow(() => fromBase64(image!.b64_json));
    if (!bytes.ok)
      throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
        hint: "The service sent an image that cannot be read; ask for it anew.",
      });
    return keepObject(ctx, { bytes: bytes.value, contentType: "image/jpeg", extension: "jpg" });
  },
});
