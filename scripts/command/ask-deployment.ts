import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { attemptNow } from "../../src/core/kit/result.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import type { Deployment } from "../flows/flows-client.ts";
import { REQUEST_MS, sayNetwork } from "../flows/say-network.ts";
import { CommandError } from "./command-error.ts";

interface AskOptions {
  readonly method?: "GET" | "POST";
  /** The answer of a deployment that does not have the path, because it does not list its feature. */
  readonly without?: JsonObject;
}

/** Ask a deployment for a JSON object. Throws, in a sentence, where it does not answer one: 1 where it refuses, 2 where it is not reached. */
export async function askDeployment(
  { url, key }: Deployment,
  path: string,
  { method = "GET", without }: AskOptions = {},
): Promise<JsonObject> {
  const response = await fetch(url + path, {
    method,
    // A key goes where it was meant to go, and nowhere else.
    redirect: "manual",
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(REQUEST_MS),
  }).catch((error: Error) => {
    throw new CommandError(`Cannot reach ${url}: ${sayNetwork(error)}.`);
  });
  return readResponse({ url }, path, { response, text: await response.text(), ...(without && { without }) });
}

/** Read the JSON object of a response. Throws, in a sentence, where a response has none, or is a refusal. */
export function readResponse(
  { url }: Pick<Deployment, "url">,
  path: string,
  {
    response,
    text,
    without,
  }: Pick<AskOptions, "without"> & { readonly response: Response; readonly text: string },
): JsonObject {
  const body = readAnswer(text);
  if (response.ok && body !== null) return body;
  if (response.status === 404 && body?.["code"] === "NOT_FOUND" && without !== undefined) return without;
  if (response.status === 401) throw new CommandError(`${url} does not know the key in VOLLEY_KEY (401).`, 1);
  const detail = detailOf(body);
  if (detail === undefined)
    throw new CommandError(
      `${url} does not answer as Volley does (${response.status} for ${path}); is VOLLEY_URL right?`,
    );
  throw new CommandError(`${url} refuses ${path} (${response.status}): ${visibleText(detail, 500)}`, 1);
}

/** Read the text of an answer; null where it is no JSON object. */
export function readAnswer(text: string): JsonObject | null {
  const parsed = attemptNow((): unknown => JSON.parse(text));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

/** The reason of a refusal; undefined where the answer has none. */
export function detailOf(body: JsonObject | null): string | undefined {
  const detail = body?.["detail"];
  return typeof detail === "string" ? detail : undefined;
}
