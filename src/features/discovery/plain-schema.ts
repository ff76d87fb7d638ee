import { isJsonObject, type JsonObject } from "../../feature/schema.ts";
import { type Orchestration, sayFields } from "../../feature/tool.ts";

const CONTRACT = "x-orchestration";

/** Take a schema's own contract out of it; the contracts of schemas inside stay. */
export function splitContract(schema: JsonObject): {
  readonly schema: JsonObject;
  readonly contract: Orchestration | undefined;
} {
  const { [CONTRACT]: contract, ...rest } = schema;
  return { schema: rest, contract: contract as Orchestration | undefined };
}

/** Write a schema in standard keywords only: every contract inside becomes the last line of the description beside it. */
export function toPlainSchema(schema: JsonObject): JsonObject {
  return walk(schema) as JsonObject;
}

function walk(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(walk);
  if (!isJsonObject(value)) return value;
  const { schema, contract } = splitContract(value);
  const plain = Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, walk(inner)]));
  if (contract === undefined) return plain;
  return { ...plain, description: withContract(schema["description"], contract) };
}

/** A description with the contract as its last line. */
export function withContract(description: unknown, contract: Orchestration | undefined): string {
  const said = typeof description === "string" ? description : "";
  if (contract === undefined) return said;
  return `${said}\n${sayContract(contract)}`.trimStart();
}

function sayConfirm(confirm: Exclude<NonNullable<Orchestration["confirm"]>, "never">): string {
  const { when, needs = 1 } = confirm === "always" ? {} : confirm;
  const who = needs === 1 ? "a person confirms" : `${needs} people confirm`;
  return when === undefined ? `${who} each call` : `${who} calls with ${JSON.stringify(when)}`;
}

/**
 * Say a tool's contract in one line, for the dialects that have no place for it.
 *
 * @example
 * sayContract({ mode: "fan-out-bounded", max_concurrency: 3, on_error: "fail-fast" });
 * // "Contract: fan-out-bounded, at most 3 at once, fail-fast."
 */
export function sayContract(orchestration: Orchestration): string {
  const { mode, max_concurrency, depends_on, on_error, rate_limit, cache_ttl_s, confirm } = orchestration;
  const parts = [
    mode,
    max_concurrency !== undefined && `at most ${max_concurrency} at once`,
    ...(depends_on ?? []).map(({ tool, required_fields }) => `${required_fields.join(", ")} from ${tool}`),
    rate_limit !== undefined && `${rate_limit.limit} calls every ${rate_limit.window_s} s`,
    cache_ttl_s !== undefined && `answers may be ${cache_ttl_s} s old`,
    // That one failure leaves the others as they are is what everybody assumes.
    on_error === "fail-fast" && on_error,
    confirm !== undefined && confirm !== "never" && sayConfirm(confirm),
    ...sayFields(orchestration),
  ];
  return `Contract: ${parts.filter((part) => typeof part === "string").join(", ")}.`;
}
