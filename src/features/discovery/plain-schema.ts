import type { JsonSchema } from "../../core/catalog/tool-schema.ts";
import { isJsonObject } from "../../core/contract/json.ts";
import type { Orchestration } from "../../core/contract/orchestration.ts";
import { sayContract } from "./say-contract.ts";

const CONTRACT = "x-orchestration";

/** Take a schema's own contract out of it; the contracts of schemas inside stay. */
export function splitContract(schema: JsonSchema): {
  readonly schema: JsonSchema;
  readonly contract: Orchestration | undefined;
} {
  const { [CONTRACT]: contract, ...rest } = schema;
  return { schema: rest, contract: contract as Orchestration | undefined };
}

/** Write a schema in standard keywords only: every contract inside becomes the last line of the description beside it. */
export function toPlainSchema(schema: JsonSchema): JsonSchema {
  return walk(schema) as JsonSchema;
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
