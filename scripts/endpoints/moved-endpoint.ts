import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { parseWebhookSecrets } from "../../src/core/egress/webhook-secret.ts";

/** An endpoint that moves here from another service. */
export interface MovedEndpoint {
  readonly id: string;
  /** The body of its `PUT`; null where it cannot move. */
  readonly body: JsonObject | null;
  /** Sentences for the person who moves it: what is different here, or why it stays. */
  readonly notes: readonly string[];
}

/** Write a secret as Standard Webhooks does; null if it is not one of those, so that its receiver needs a new one. */
export function toSecret(value: unknown): string | null {
  const text = isJsonObject(value) ? value["key"] : value;
  if (typeof text !== "string" || text === "") return null;
  const secret = text.startsWith("whsec_") ? text : `whsec_${text}`;
  return parseWebhookSecrets(secret)?.length === 1 ? secret : null;
}

/** Read a list that is one by itself, or that an answer of an API has under one of these names. */
export function readList(value: unknown, names: readonly string[]): readonly JsonObject[] {
  const under = isJsonObject(value) ? names.map((name) => value[name]).find(Array.isArray) : value;
  const list: unknown = under;
  if (!Array.isArray(list) || !list.every(isJsonObject))
    throw new Error(
      `The file must be a list of objects, or an object with one as '${names.join("' or '")}'.`,
    );
  return list;
}

/** Read the text in a field; undefined where there is none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
