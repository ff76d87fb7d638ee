import { isJsonObject } from "../contract/json.ts";
import type { UpstreamWords } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import type { Clock } from "../kit/clock.ts";
import { attempt, attemptNow } from "../kit/result.ts";

/**
 * Read from the body of a refusal what the service said of it. It never rejects: a body that is long, late or no JSON says nothing,
 * and the rest of it is given up.
 */
export async function readRefusal(response: Response, clock: Clock): Promise<UpstreamWords> {
  const { status, body, headers } = response;
  if (body === null) return { status };
  const reader = body.getReader();
  const cancel = (): void => void attempt(() => reader.cancel());
  if (!/^(?:[^;]*\bjson\b|text\/plain)/i.test(headers.get("content-type") ?? "")) {
    cancel();
    return { status };
  }
  const stop = clock.after(LIMITS.refusalMs, cancel);
  const read = await attempt(() => readText(reader));
  stop();
  cancel();
  const parsed = attemptNow((): unknown => JSON.parse(read.ok ? read.value : ""));
  return { status, ...(parsed.ok && pickWords(parsed.value)) };
}

async function readText(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > LIMITS.refusalBytes) return "";
    text += decoder.decode(value, { stream: true });
  }
}

/** Pick a message and a code from where services write them. */
function pickWords(value: unknown): Pick<UpstreamWords, "message" | "code"> {
  if (!isJsonObject(value)) return {};
  const { error, message, error_description, detail, title, errors, code: ownCode } = value;
  const inner = isJsonObject(error) ? error : {};
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const listed = isJsonObject(first) ? [first["message"], first["detail"]] : [first];
  const said = [inner["message"], message, error_description, detail, error, title, ...listed].find(isSaid);
  const code = [inner["code"], ownCode, inner["type"], error].find(
    (one) => isSaid(one) || Number.isFinite(one),
  );
  return {
    ...(said !== undefined && { message: said as string }),
    ...(code !== undefined && { code: String(code) }),
  };
}

function isSaid(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}
