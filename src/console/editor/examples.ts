import { attemptNow } from "../../core/kit/result.ts";
import type { JsonSchema, WireTool } from "../kit/wire.ts";
import { printJson } from "./print-json.ts";
import { readJson } from "./read-json.ts";

/** A batch to begin with. */
export interface Example {
  readonly name: string;
  readonly text: string;
}

const BATCHES: Readonly<
  Record<string, readonly { readonly tool: string; readonly [field: string]: unknown }[]>
> = {
  "Three calls at once": [
    { id: "weather", tool: "get_weather", args: { city: "Phoenix" } },
    { id: "recalls", tool: "nhtsa-recall-search", args: { year: 2020, make: "Toyota", model: "Camry" } },
    { id: "mail", tool: "send_email", args: { to: ["you@example.com"], subject: "Hi", body: "Hello." } },
  ],
  "One result feeds the next": [
    { id: "shops", tool: "google-maps-search", args: { query: "oil change near Phoenix, AZ" } },
    { id: "weather", tool: "get_weather", args: { city: "Phoenix" } },
    {
      id: "mail",
      tool: "send_email",
      args: {
        to: ["you@example.com"],
        subject: { $template: "Book {{shops#/places/0/name}}" },
        body: { $template: "{{weather#/current/condition}} today." },
      },
    },
  ],
  "A search, its items, and an approval": [
    { id: "found", tool: "probe-search", args: { q: "lamp", d: 400 } },
    { id: "slow", tool: "probe-echo", args: { n: 1, d: 900 } },
    { id: "first", tool: "probe-item", args: { d: 300 } },
    {
      id: "each",
      tool: "probe-item",
      for_each: { $ref: "found#/items" },
      args: { id: { $ref: "item#/id" }, d: 200 },
    },
    { id: "log", tool: "probe-background", args: { n: 2 } },
    { id: "gone", tool: "probe-delete", args: { id: { $ref: "found#/items/1/id" } } },
  ],
};

/** Batches of tools that the key really has; if it has none of those, of the first ones it has. */
export function listExamples(tools: readonly WireTool[]): readonly Example[] {
  const names = new Set(tools.map(({ name }) => name));
  const known = Object.entries(BATCHES).filter(([, actions]) => actions.every(({ tool }) => names.has(tool)));
  if (known.length > 0) return known.map(([name, actions]) => ({ name, text: print({ actions }) }));
  if (tools.length === 0) return [];
  return [
    { name: "The first tools", text: print({ actions: tools.slice(0, 2).map((tool) => callOf(tool)) }) },
  ];
}

/** A batch of one call of a tool, with everything it needs to be filled in. */
export function exampleOf(tool: WireTool): string {
  return print({ actions: [callOf(tool)] });
}

function callOf({ name, input_schema: schema }: WireTool): unknown {
  return { tool: name, args: sampleOf(schema, 0) };
}

/** A text of each format, which the API takes. */
const TEXTS: Readonly<Record<string, string>> = {
  email: "you@example.com",
  uri: "https://example.com",
  date: "2026-01-15",
  "date-time": "2026-01-15T12:00:00Z",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function sampleOf(schema: JsonSchema, depth: number): unknown {
  const { enum: values, const: only, default: usual, examples, anyOf, oneOf, format = "" } = schema;
  const { type, properties = {}, required = [], items, minItems = 1, minLength = 0, pattern = "" } = schema;
  const { minimum = 0, exclusiveMinimum: below = -1, maximum = Infinity } = schema;
  const given = [usual, examples?.[0], only, values?.[0]].find((value) => value !== undefined);
  if (given !== undefined) return given;
  const choice = anyOf?.[0] ?? oneOf?.[0];
  if (choice !== undefined && depth < 5) return sampleOf(choice, depth + 1);
  switch (typeof type === "string" ? type : type?.[0]) {
    case "number":
    case "integer":
      return Math.min(Math.max(0, minimum, below + 1), maximum);
    case "boolean":
      return false;
    case "array":
      if (items === undefined || depth >= 5) return [];
      return Array.from({ length: Math.min(Math.max(1, minItems), 3) }, () =>
        sampleOf(items, depth + 1),
      ).filter((item) => item !== undefined);
    case "string": {
      const text = TEXTS[format] ?? "a".repeat(Math.min(minLength, 1_000));
      const isRight = attemptNow(() => new RegExp(pattern, "u").test(text));
      // Left out, the form says that it is required; a text that is made up the API would refuse.
      return isRight.ok && !isRight.value ? undefined : text;
    }
    default:
      return depth >= 5
        ? {}
        : Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {}, depth + 1)]));
  }
}

function print(batch: unknown): string {
  const text = JSON.stringify(batch);
  return printJson(text, readJson(text).root!);
}
