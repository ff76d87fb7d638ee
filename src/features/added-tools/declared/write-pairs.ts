import { isJsonObject } from "../../../core/contract/json.ts";
import type { Sent } from "./declaration.ts";

/** How values are written in the places that hold text alone. */
export interface PairOptions {
  readonly encode: (text: string) => string;
  /** Write an object as `name[field]=`, as a form has it; in a query it is JSON. */
  readonly isForm: boolean;
}

interface Named {
  readonly name: string;
  readonly list?: Exclude<Sent, string>["list"] | undefined;
}

const SEPARATORS: Readonly<Partial<Record<NonNullable<Named["list"]>, string>>> = {
  comma: ",",
  space: "%20",
  pipe: "%7C",
};

/** Write a value as `name=value`, as often as it takes. Null is nothing. */
export function writePairs({ name, list }: Named, value: unknown, options: PairOptions): string[] {
  const { encode, isForm } = options;
  if (isNothing(value)) return [];
  const pair = (key: string, text: string): string => `${encode(key)}=${encode(text)}`;
  if (list === "json") return [pair(name, JSON.stringify(value))];
  const scalar = scalarText(value);
  if (scalar !== null) return [pair(name, scalar)];
  const separator = list === undefined ? undefined : SEPARATORS[list];
  if (Array.isArray(value)) {
    const items = (value as unknown[]).filter((item) => !isNothing(item));
    if (separator !== undefined)
      return items.length === 0
        ? []
        : [`${encode(name)}=${items.map((item) => encode(plainText(item))).join(separator)}`];
    return items.flatMap((item, at) =>
      isForm && (list === "index" || scalarText(item) === null)
        ? writePairs({ name: `${name}[${at}]`, list }, item, options)
        : [pair(name, plainText(item))],
    );
  }
  if (!isForm || !isJsonObject(value)) return [pair(name, JSON.stringify(value))];
  if (separator !== undefined)
    return [
      `${encode(name)}=${Object.entries(value)
        .flat()
        .map((part) => encode(plainText(part)))
        .join(separator)}`,
    ];
  return Object.entries(value).flatMap(([key, inner]) =>
    writePairs(list === "spread" ? { name: key } : { name: `${name}[${key}]`, list }, inner, options),
  );
}

/** A scalar as text, numbers digit for digit; null for anything else. */
export function scalarText(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : null;
}

/** A scalar as text, anything else as JSON. */
export function plainText(value: unknown): string {
  return scalarText(value) ?? JSON.stringify(value);
}

export function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
