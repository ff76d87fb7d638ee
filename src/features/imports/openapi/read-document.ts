import { CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";

import type { DeclarationIssue } from "../../added-tools/declared/problems.ts";
import * as LIMITS from "../limits.ts";
import { exceedsDepth } from "../../../core/contract/parse-json.ts";
import { findJsonSlip, toLineAndColumn } from "../../../core/kit/json/json-slip.ts";
import { attemptNow, err, ok, type Result } from "../../../feature/refuse.ts";
import { visibleText } from "../../../feature/schema.ts";

/**
 * Parse the text of an OpenAPI document, JSON or YAML 1.2.
 *
 * Bounded by size before anything is parsed, and by nesting; in YAML also by the number of aliases and merged keys, and by what
 * they come to when written out. A value that an alias repeats stays one object, so it takes no memory twice. A key that is there
 * twice is refused.
 */
export async function readDocument(text: string): Promise<Result<unknown, readonly DeclarationIssue[]>> {
  const bytes = new TextEncoder().encode(text);
  const isJson = /^[\s\ufeff]*[{[]/.test(text);
  const most = isJson ? LIMITS.openApiBytes : LIMITS.openApiYamlBytes;
  if (bytes.length > most)
    return refuse(
      `The document has ${bytes.length} bytes, and at most ${most} are read${isJson ? "" : " of YAML"}; leave out paths that you do not need${isJson ? "" : ", or send it as JSON"}.`,
    );
  // In YAML brackets may be mere text, but not so many that are never closed.
  if (exceedsDepth(bytes, isJson ? LIMITS.openApiNesting : OPEN_BRACKETS)) return refuse(TOO_DEEP);
  if (!isJson) return readYaml(text);
  const json = text.replace(/^\ufeff/, "");
  const parsed = attemptNow((): unknown => JSON.parse(json));
  if (parsed.ok) return parsed;
  // YAML's own brackets and braces look like JSON at first.
  const yaml = text.length <= LIMITS.openApiYamlBytes ? await readYaml(text) : parsed;
  if (yaml.ok) return yaml;
  const slip = findJsonSlip(json);
  if (slip === null) return refuse("The document is not JSON; check its brackets, quotes and commas.");
  return refuse(`The document's JSON goes wrong at ${toLineAndColumn(json, slip.at)}: ${slip.what}.`);
}

const OPEN_BRACKETS = 1_000;
/** Aliases (`*name`), and keys that are merged (`<<`), of one document. */
const ALIASES = 10_000;

async function readYaml(text: string): Promise<Result<unknown, readonly DeclarationIssue[]>> {
  const parsed = attemptNow((): unknown =>
    load(text, {
      schema: CORE_SCHEMA.withTags(mergeTag),
      maxDepth: LIMITS.openApiNesting,
      maxAliases: ALIASES,
      maxTotalMergeKeys: ALIASES,
    }),
  );
  if (!parsed.ok)
    return refuse(
      parsed.error instanceof YAMLException ? sayYamlSlip(text, parsed.error) : "The YAML cannot be read.",
    );
  const written = writtenOut(parsed.value, 0, new Map());
  return typeof written === "string" ? refuse(written) : ok(parsed.value);
}

interface YamlSlip {
  readonly reason: string;
  readonly mark?: { readonly position: number };
}

function sayYamlSlip(text: string, { reason, mark }: YamlSlip): string {
  if (reason.startsWith("nesting exceeded")) return TOO_DEEP;
  if (/^(?:aliases|merge keys) exceeded/.test(reason)) return TOO_MANY_ALIASES;
  const place = mark === undefined ? "" : ` at ${toLineAndColumn(text, mark.position)}`;
  return `The document's YAML goes wrong${place}: ${visibleText(reason, 60)}.`;
}

/** A value as it would be with each alias written out: about how many characters, and how many levels. */
interface Written {
  readonly size: number;
  readonly levels: number;
}

/** The size of an alias of something that it is part of. */
const ENDLESS: Written = { size: Infinity, levels: Infinity };

/**
 * Measure a value with each alias written out; a sentence where that is too deep or too much. Each object is looked at once,
 * however many aliases lead to it, so a laugh of a billion costs its own length. Never deeper than `openApiNesting` calls.
 */
function writtenOut(value: unknown, depth: number, known: Map<object, Written>): Written | string {
  if (typeof value !== "object" || value === null) return { size: String(value).length + 1, levels: 0 };
  const before = known.get(value);
  if (before === ENDLESS) return REPEATED;
  if (depth + (before?.levels ?? 1) > LIMITS.openApiNesting) return TOO_DEEP;
  if (before !== undefined) return before;
  known.set(value, ENDLESS);
  let [size, levels] = [2, 1];
  for (const [key, inner] of Object.entries(value)) {
    const part = writtenOut(inner, depth + 1, known);
    if (typeof part === "string") return part;
    size += (Array.isArray(value) ? 0 : key.length) + part.size;
    levels = Math.max(levels, part.levels + 1);
    if (size > LIMITS.openApiBytes) return REPEATED;
  }
  known.set(value, { size, levels });
  return { size, levels };
}

const TOO_MANY_ALIASES =
  "The document has too many aliases (*name) or merged keys (<<); write them out, or send it as JSON.";
const REPEATED = "The document's aliases repeat too much of it; write out what you need, or send it as JSON.";
const TOO_DEEP = `The document nests deeper than ${LIMITS.openApiNesting} levels; that is no OpenAPI document.`;

function refuse(hint: string): Result<never, readonly DeclarationIssue[]> {
  const expected = "the text of an OpenAPI document, JSON or YAML";
  return err([{ path: "/openapi", expected, received: "text that cannot be read", hint }]);
}
