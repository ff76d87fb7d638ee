import { readFile, writeFile } from "node:fs/promises";

import { flowSchema } from "../../src/features/flows/declaration/flow-schema.ts";
import { toOwnFields } from "../../src/features/flows/declaration/own-fields.ts";
import { describe } from "../../src/core/contract/issues.ts";
import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import { parseJsonText } from "../../src/core/contract/parse-json.ts";
import { toLineAndColumn } from "../../src/core/kit/json/json-slip.ts";
import { toPointer } from "../../src/core/kit/json/json-pointer.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import type { Flows } from "./compare-flows.ts";
import { findRepeatedKey } from "./find-repeated-key.ts";

/** Read a file of flows; null where there is no such file. Throws what is wrong with it, in a sentence. */
export async function readFlowsFile(path: string, shown: string): Promise<Flows | null> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw new Error(`Cannot read ${shown}: ${REASONS[code ?? ""] ?? code}.`, { cause: error });
  }
  try {
    return parseFlows(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (error instanceof TypeError) throw new Error(`${shown} is not valid UTF-8.`, { cause: error });
    throw new Error(`${shown}: ${(error as Error).message}`, { cause: error });
  }
}

/** Write a file of flows. */
export async function writeFlowsFile(path: string, flows: Flows, shown: string): Promise<void> {
  try {
    await writeFile(path, writeFlows(flows));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot write ${shown}: ${REASONS[code ?? ""] ?? code}.`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "it may not be read or written",
  EISDIR: "it is a folder",
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder does not exist",
};

/** Parse the text of a file of flows. Throws what is wrong with it, in a sentence. */
export function parseFlows(text: string): Flows {
  if (/^(?:<{7}|>{7}) /m.test(text)) throw new Error("A merge of it is not resolved; resolve it first.");
  if (text.trim() === "") throw new Error(`${WHOLE}, and is empty.`);
  const parsed = parseJsonText(text, DEPTH);
  if (!parsed.ok) throw new Error(parsed.error);
  const repeated = findRepeatedKey(text);
  if (repeated !== null) {
    const key = visibleText(repeated.key);
    throw new Error(`'${key}' stands twice in one object, again at ${toLineAndColumn(text, repeated.at)}.`);
  }
  // A file is compared with what a deployment shows, which has no digits that a double has not.
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error(`${WHOLE}, and is ${describe(value)}.`);
  const { flows, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Error(`${WHOLE}, and has '${visibleText(other)}' as well.`);
  if (!isJsonObject(flows)) throw new Error(`${WHOLE}, and 'flows' is ${describe(flows)}.`);
  return new Map(Object.entries(flows).map(([name, flow]) => [name, parseFlow(name, flow)]));
}

/** Write the text of a file of flows: names sorted, fields in the order of a flow's description. */
export function writeFlows(flows: Flows): string {
  const sorted = [...flows].sort(([a], [b]) => (a < b ? -1 : 1));
  const written = Object.fromEntries(sorted.map(([name, flow]) => [name, sortFields(flow)]));
  return `${JSON.stringify({ flows: written }, null, 2)}\n`;
}

const WHOLE = 'The file must be {"flows": {"name": {…}}}';

/** A flow is what is sent whole; it stands two levels down. */
const DEPTH = LIMITS.nesting + 2;

function parseFlow(name: string, flow: unknown): JsonObject {
  // A name that a path cannot say would ask for another resource.
  if (/^\.{0,2}$/.test(name) || !name.isWellFormed())
    throw new Error(`'${visibleText(name)}' is no name of a flow.`);
  if (!isJsonObject(flow))
    throw new Error(`The flow '${visibleText(name)}' must be an object, received ${describe(flow)}.`);
  const endless = findEndless(flow, []);
  if (endless !== null)
    throw new Error(
      `The flow '${visibleText(name)}' has a number at ${visibleText(endless)} that is too large.`,
    );
  return toSent(name, flow);
}

/** Fields that are shown of a flow may stand in the file as they were copied. */
export function toSent(name: string, flow: JsonObject): JsonObject {
  const { name: written = name, ...sent } = flow;
  return toOwnFields(written === name ? sent : flow);
}

/** `1e400` is read as endless, and would be written as null. */
function findEndless(value: unknown, path: readonly string[]): string | null {
  if (typeof value === "number") return Number.isFinite(value) ? null : toPointer(path);
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = findEndless(inner, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

/** The inside of a field stays as it was written: there an order may mean something to its reader. */
function sortFields(flow: JsonObject): JsonObject {
  const known = Object.keys(flowSchema().shape).filter((field) => Object.hasOwn(flow, field));
  const others = Object.keys(flow).filter((field) => !known.includes(field));
  return Object.fromEntries([...known, ...others].map((field) => [field, flow[field]]));
}
