import type { DeclarationIssue } from "../../catalog/declared/problems.ts";
import { LIMITS } from "../../contract/limits.ts";
import { exceedsDepth } from "../../contract/parse-json.ts";
import { findJsonSlip, toLineAndColumn } from "../../kit/json/json-slip.ts";
import { attempt, attemptNow, err, ok, type Result } from "../../kit/result.ts";
import { visibleText } from "../../kit/visible-text.ts";

/**
 * Parse the text of an OpenAPI document, JSON or YAML 1.2. What reads YAML is loaded when the first such document comes.
 *
 * Bounded by size before anything is parsed, and by nesting; in YAML also by what aliases and merged keys may multiply. What an
 * alias repeats stays one object, so it takes no memory twice. A key that is there twice is refused.
 */
export async function readDocument(text: string): Promise<Result<unknown, readonly DeclarationIssue[]>> {
  const bytes = new TextEncoder().encode(text);
  const isJson = /^[\s\ufeff]*[{[]/.test(text);
  const most = isJson ? LIMITS.openApiBytes : LIMITS.openApiYamlBytes;
  if (bytes.length > most)
    return refuse(
      `The document has ${bytes.length} bytes, and at most ${most} are read${isJson ? "" : " of YAML"}; leave out paths that you do not need${isJson ? "" : ", or send it as JSON"}.`,
    );
  if (!isJson) return readYaml(text);
  if (exceedsDepth(bytes, LIMITS.openApiNesting)) return refuse(TOO_DEEP);
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

/** Times that merged keys (`<<`) may look through as much as the whole document. */
const MERGED_CHARACTERS = 16 * 1024 * 1024;
/** How often aliases inside aliases may repeat one value. */
const ALIAS_COUNT = 1_000;

async function readYaml(text: string): Promise<Result<unknown, readonly DeclarationIssue[]>> {
  const { parseDocument } = await import("yaml");
  const merges = text.split("<<").length - 1;
  if (merges * text.length > MERGED_CHARACTERS)
    return refuse("The document merges keys (<<) too often; write them out, or send it as JSON.");
  const parsed = await attempt(() => {
    const document = parseDocument(text, {
      merge: true,
      uniqueKeys: true,
      logLevel: "error",
      prettyErrors: false,
    });
    const [error] = document.errors;
    return error === undefined
      ? { value: document.toJS({ maxAliasCount: ALIAS_COUNT }) as unknown }
      : { slip: sayYamlSlip(text, error) };
  });
  if (!parsed.ok)
    return refuse(
      parsed.error instanceof RangeError
        ? TOO_DEEP
        : "The document's YAML cannot be read: its aliases repeat too much, or lead nowhere.",
    );
  if ("slip" in parsed.value) return refuse(parsed.value.slip);
  return isDeeper(parsed.value.value, LIMITS.openApiNesting) ? refuse(TOO_DEEP) : ok(parsed.value.value);
}

function sayYamlSlip(
  text: string,
  { code, pos }: { readonly code: string; readonly pos: readonly number[] },
): string {
  const what = code.toLowerCase().replaceAll("_", " ");
  return `The document's YAML goes wrong at ${toLineAndColumn(text, pos[0] ?? 0)}: ${visibleText(what, 60)}.`;
}

/** Whether a value nests too deep. Each object is looked at once, however many aliases lead to it. */
function isDeeper(value: unknown, most: number): boolean {
  const seen = new Map<object, number>();
  const waiting: [unknown, number][] = [[value, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [at, depth] = next;
    if (typeof at !== "object" || at === null || (seen.get(at) ?? -1) >= depth) continue;
    if (depth >= most) return true;
    seen.set(at, depth);
    for (const inner of Object.values(at)) waiting.push([inner, depth + 1]);
  }
  return false;
}

const TOO_DEEP = `The document nests deeper than ${LIMITS.openApiNesting} levels; that is no OpenAPI document.`;

function refuse(hint: string): Result<never, readonly DeclarationIssue[]> {
  const expected = "the text of an OpenAPI document, JSON or YAML";
  return err([{ path: "/openapi", expected, received: "text that cannot be read", hint }]);
}
