import * as z from "zod/mini";
import { beforeAll, beforeEach, expect, test } from "vitest";

import { generateImage } from "../../../src/tools/images/generate-image.ts";
import { countImages, resetImages } from "../../sandbox/upstreams/openai-images.ts";
import { type DataBindings, startDataBindings } from "../../support/data-bindings.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

let data: DataBindings;
beforeAll(async () => void (data = await startDataBindings({ unmigrated: true })));
beforeEach(resetImages);

function generate(args: object, options: Parameters<typeof runTool>[2] = {}) {
  return runTool(generateImage, args, { bindings: data.bindings, tenant: "acme", ...options });
}

test("generate_image asks OpenAI as documented", async () => {
  const { output, requests } = generate({ prompt: "A lighthouse", size: "1536x1024" });
  await output;
  expect(requests).toHaveLength(1);
  const [{ method, url, headers, body }] = requests as [(typeof requests)[number]];
  expect(`${method} ${url.href}`).toBe("POST https://api.openai.com/v1/images/generations");
  expect(headers.get("Authorization")).toBe("Bearer openai-key");
  expect(JSON.parse(body)).toEqual({
    model: "gpt-image-2.5-flare",
    prompt: "A lighthouse",
    size: "1536x1024",
    n: 1,
    quality: "low",
    output_format: "jpeg",
  });
});

trial("generate_image keeps a JPEG and says where it is read, in about 70 tokens", async () => {
  const output = await generate({ prompt: "A lighthouse" }, { idempotencyKey: "job-1" }).output;
  expect(output).toEqual({
    object: "job-1.jpg",
    content_type: "image/jpeg",
    bytes: expect.any(Number),
    url: "/v1/objects/job-1.jpg",
  });
  expect(countTokens(output)).toBeLessThan(70);
  const kept = await data.bucket.get("acme/job-1.jpg");
  const bytes = new Uint8Array(await kept!.arrayBuffer());
  expect(Array.from(bytes.subarray(0, 3))).toEqual([0xff, 0xd8, 0xff]);
  expect(bytes.length).toBe((output as { bytes: number }).bytes);
});

trial("generate_image puts what a second attempt makes in the place of the first", async () => {
  for (const _ of [1, 2]) await generate({ prompt: "x" }, { idempotencyKey: "job-2" }).output;
  expect(countImages()).toBe(2);
  const { objects } = await data.bucket.list();
  expect(objects.filter(({ key }) => key.includes("job-2"))).toHaveLength(1);
});

test.each([
  ["that is no base64", { data: [{ b64_json: "%%%" }] }],
  ["without an image", { data: [] }],
  ["with an address instead", { data: [{ url: "https://example.com/a.png" }] }],
])("generate_image takes an answer %s for unreadable", async (_, answer) => {
  const { output } = generate({ prompt: "x" }, { answer: () => Response.json(answer) });
  await expect(output).rejects.toMatchObject({ failure: { code: "BAD_UPSTREAM_RESPONSE" } });
});

test("generate_image reports what moderation blocked as OpenAI's 400, which is final", async () => {
  const { output } = generate({ prompt: "something forbidden" });
  await expect(output).rejects.toMatchObject({
    failure: { code: "UPSTREAM_ERROR", upstreamStatus: 400, retryable: false },
  });
});

test.each([
  {},
  { prompt: " " },
  { prompt: "x".repeat(8_001) },
  { prompt: "x", size: "512x512" },
  { prompt: "x", n: 2 },
])("generate_image does not accept %j", (args) => {
  expect(z.safeParse(generateImage.input, args).success).toBe(false);
});

test("generate_image gives the service all of its attempt's time to begin its answer", () => {
  expect(generateImage).toMatchObject({
    execution: "fire-and-forget",
    headersTimeoutMs: 25_000,
    timeoutMs: 25_000,
    repeatable: true,
  });
});
