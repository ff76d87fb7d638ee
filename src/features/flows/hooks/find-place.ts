import { follow, parsePointer } from "../../../core/kit/json/json-pointer.ts";
import type { Place } from "./hook-form.ts";

/** A delivery in which places are looked up. */
export interface Searched {
  readonly headers: Pick<Headers, "get">;
  /** The body's value; null where it could not be read. */
  readonly body: () => object | null;
}

/** The text in a place of a delivery; null where there is none. A number has the digits that the sender wrote. */
export function findText(place: Place, { headers, body }: Searched): string | null {
  if ("header" in place) return headers.get(place.header);
  const value = findValue(place.pointer, body());
  if (JSON.isRawJSON(value)) return value.rawJSON;
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

/** The value that a pointer leads to; undefined where there is none. A list is also found as the input that it becomes. */
export function findValue(pointer: string, body: object | null): unknown {
  const tokens = parsePointer(pointer) ?? [];
  const found = follow(body, tokens);
  if (found.found) return found.value;
  const inInput = Array.isArray(body) ? follow(toInput(body), tokens) : found;
  return inInput.found ? inInput.value : undefined;
}

/** The input of a run: the body, or its list. */
export function toInput(body: object): Readonly<Record<string, unknown>> {
  return Array.isArray(body)
    ? { items: body as readonly unknown[] }
    : (body as Readonly<Record<string, unknown>>);
}
