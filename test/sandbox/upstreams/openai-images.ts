import { parseObject } from "./parse-object.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 400;
/** `gpt-image-1` was shut down on 2026-10-23. */
const MODELS = [
  "gpt-image-1-mini",
  "gpt-image-1.5",
  "gpt-image-2",
  "gpt-image-2.5-sunburst",
  "gpt-image-2.5-flare",
  "gpt-image-2.6-sunburst",
  "gpt-image-2.6-flare",
  "chatgpt-image-latest",
];

/** The smallest image of each format: one pixel. */
const PIXELS = {
  png: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  jpeg: "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=",
  webp: "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
} as const;

type Format = keyof typeof PIXELS;

/** The check of each field; a field that is not here is refused. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  model: (value) => typeof value === "string",
  prompt: (value) => typeof value === "string" && value !== "" && value.length <= 32_000,
  size: (value) => value === "auto" || isSize(value),
  n: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10,
  quality: (value) => ["auto", "low", "medium", "high", "xhigh", "max"].includes(String(value)),
  output_format: (value) => Object.hasOwn(PIXELS, String(value)),
  output_compression: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100,
  background: (value) => ["auto", "opaque", "transparent"].includes(String(value)),
  moderation: (value) => ["auto", "low"].includes(String(value)),
  safety_identifier: (value) => typeof value === "string",
};

let made = 0;

/** How many images were made, and would have been billed. */
export function countImages(): number {
  return made;
}

/** Forget every image. */
export function resetImages(): void {
  made = 0;
}

/**
 * Answer as the OpenAI Images API: https://platform.openai.com/docs/api-reference/images/create, refusals as in
 * https://platform.openai.com/docs/guides/error-codes. A prompt with the word `forbidden` is blocked by moderation.
 */
export async function answerOpenAiImages(request: Request, ports: StandInPorts): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname !== "/v1/images/generations")
    return refuse(404, null, `Invalid URL (${request.method} ${pathname})`);
  if (request.method !== "POST")
    return refuse(405, "method_not_supported", `Not allowed to ${request.method} on ${pathname}.`);
  const [, apiKey = ""] = /^Bearer (.+)$/.exec(request.headers.get("Authorization") ?? "") ?? [];
  if (apiKey === "") return refuse(401, null, "You didn't provide an API key.");
  if (apiKey.startsWith("invalid")) return refuse(401, "invalid_api_key", "Incorrect API key provided.");
  if (request.headers.get("Content-Type")?.startsWith("application/json") !== true)
    return refuse(400, null, "We could not parse the JSON body of your request.");
  const body = parseObject(await request.text());
  if (body === null) return refuse(400, null, "We could not parse the JSON body of your request.");
  const problem = findProblem(body);
  if (problem !== null) return problem;

  await ports.sleep(LATENCY_MS);
  made += 1;
  const { output_format = "png", size = "1024x1024", quality = "high", n = 1 } = body as Settings;
  return Response.json({
    created: Math.floor(ports.now() / 1_000),
    background: "opaque",
    output_format,
    quality,
    size,
    data: Array.from({ length: n }, () => ({ b64_json: PIXELS[output_format] })),
    usage: { input_tokens: 12, output_tokens: 272, total_tokens: 284 },
  });
}

interface Settings {
  readonly output_format?: Format;
  readonly size?: string;
  readonly quality?: string;
  readonly n?: number;
}

function findProblem(body: Readonly<Record<string, unknown>>): Response | null {
  if (body["prompt"] === undefined)
    return refuse(400, "missing_required_parameter", "Missing required parameter: 'prompt'.", "prompt");
  for (const [name, value] of Object.entries(body)) {
    const fits = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (fits === undefined) return refuse(400, "unknown_parameter", `Unknown parameter: '${name}'.`, name);
    if (!fits(value)) return refuse(400, "invalid_value", `Invalid value for '${name}'.`, name);
  }
  if (!MODELS.includes(String(body["model"])))
    return refuse(404, "model_not_found", `The model '${String(body["model"])}' does not exist.`, "model");
  if (/\bforbidden\b/i.test(String(body["prompt"])))
    return Response.json(
      {
        error: {
          message: "Your request was rejected by the safety system.",
          type: "image_generation_user_error",
          param: null,
          code: "moderation_blocked",
        },
      },
      { status: 400 },
    );
  return null;
}

/** Both sides divisible by 16, no more than three times as wide as high or the other way, and of a size that is made. */
function isSize(value: unknown): boolean {
  const [, width = 0, height = 0] = (/^(\d{3,4})x(\d{3,4})$/.exec(String(value)) ?? []).map(Number);
  const pixels = width * height;
  return (
    width % 16 === 0 &&
    height % 16 === 0 &&
    pixels >= 655_360 &&
    pixels <= 8_294_400 &&
    Math.max(width, height) <= 3 * Math.min(width, height)
  );
}

function refuse(status: number, code: string | null, message: string, param: string | null = null): Response {
  return Response.json({ error: { message, type: "invalid_request_error", param, code } }, { status });
}
