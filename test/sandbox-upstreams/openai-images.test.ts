import { beforeEach, expect, test } from "vitest";

import { countImages, resetImages } from "../sandbox/upstreams/openai-images.ts";
import { callStandIn } from "./call-stand-in.ts";

const URL = "https://api.openai.com/v1/images/generations";
const AUTHORIZED = { Authorization: "Bearer sk", "Content-Type": "application/json" };
const IMAGE = { model: "gpt-image-2.5-flare", prompt: "A lighthouse" };

function generate(body: unknown, headers: Record<string, string> = AUTHORIZED) {
  return callStandIn(URL, { method: "POST", headers, body: JSON.stringify(body) });
}

beforeEach(resetImages);

test.each([
  ["png", "89504e47"],
  ["jpeg", "ffd8ff"],
  ["webp", "52494646"],
])("OpenAI's stand-in gives a %s", async (output_format, magic) => {
  const { status, body } = await generate({ ...IMAGE, output_format });
  const { data } = body as { data: { b64_json: string }[] };
  expect(status).toBe(200);
  expect(Buffer.from(data[0]!.b64_json, "base64").toString("hex")).toMatch(new RegExp(`^${magic}`));
  expect(countImages()).toBe(1);
});

test.each([
  ["without a key", { "Content-Type": "application/json" }, null],
  ["with a wrong key", { ...AUTHORIZED, Authorization: "Bearer invalid" }, "invalid_api_key"],
])("OpenAI's stand-in refuses a request %s", async (_, headers, code) => {
  expect(await generate(IMAGE, headers)).toMatchObject({ status: 401, body: { error: { code } } });
});

test.each([
  [{ ...IMAGE, prompt: undefined }, 400, "missing_required_parameter"],
  [{ ...IMAGE, prompt: "x".repeat(32_001) }, 400, "invalid_value"],
  [{ ...IMAGE, model: "gpt-image-1" }, 404, "model_not_found"],
  [{ prompt: "x" }, 404, "model_not_found"],
  [{ ...IMAGE, size: "1000x1000" }, 400, "invalid_value"],
  [{ ...IMAGE, size: "3840x1024" }, 400, "invalid_value"],
  [{ ...IMAGE, n: 0 }, 400, "invalid_value"],
  [{ ...IMAGE, quality: "hd" }, 400, "invalid_value"],
  [{ ...IMAGE, response_format: "b64_json" }, 400, "unknown_parameter"],
  [{ ...IMAGE, prompt: "something forbidden" }, 400, "moderation_blocked"],
])("OpenAI's stand-in refuses %j", async (body, status, code) => {
  expect(await generate(body)).toMatchObject({ status, body: { error: { code } } });
  expect(countImages()).toBe(0);
});

test("OpenAI's stand-in knows no other method or path, nor another type", async () => {
  expect((await callStandIn(URL, { headers: AUTHORIZED })).status).toBe(405);
  expect((await callStandIn("https://api.openai.com/v1/images", { method: "POST" })).status).toBe(404);
  const form = {
    method: "POST",
    headers: { Authorization: "Bearer sk", "Content-Type": "text/plain" },
    body: "x",
  };
  expect((await callStandIn(URL, form)).status).toBe(400);
});
