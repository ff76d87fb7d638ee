import { isJsonObject, type JsonObject, visibleText } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { exceedsDepth } from "../../../core/contract/parse-json.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { attemptNow, err, ok, type Result } from "../../../feature/refuse.ts";
import { sha256 } from "../../../feature/kit.ts";
import { findParamHeaders, type ParamHeader } from "./param-headers.ts";

/** A tool as its server lists it, as far as it is looked at. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
  /** Fingerprint of everything that describes the tool; see `fingerprintOf`. */
  readonly fingerprint: string;
  readonly params: readonly ParamHeader[];
  /** The server's entry, as far as anything depends on it: to be kept as data. */
  readonly entry: JsonObject;
}

/** A tool that cannot be offered, and the reason in words for the importer of the server. */
export interface Unusable {
  readonly operation: string;
  readonly reason: string;
}

/**
 * Read one entry of a server's list. The entry is the server's, so nothing is taken on trust: a name that is too long, a schema
 * that is none of an object, refers elsewhere or nests too deep is the reason why it cannot be used.
 */
export function readListedTool(entry: unknown): Result<ListedTool, Unusable> {
  // Numbers with more digits than a double has are read as doubles, as every validator does.
  const read = attemptNow((): unknown => JSON.parse(JSON.stringify(entry) ?? "null"));
  const tool = read.ok && isJsonObject(read.value) ? read.value : {};
  const { name } = tool;
  const inputSchema = toObjectSchema(tool["inputSchema"]);
  if (typeof name !== "string" || name === "") return unusable("?", "it has no name");
  if (name.length > LIMITS.mcpNameCharacters)
    return unusable(name, `its name has more than ${LIMITS.mcpNameCharacters} characters`);
  if (!isJsonObject(inputSchema) || inputSchema["type"] !== "object")
    return unusable(name, "its input schema is none of an object");
  const { title, description, outputSchema, annotations } = tool;
  const said = { name, description, inputSchema, outputSchema, annotations };
  const written = attemptNow(() => canonicalJson(said));
  if (!written.ok || exceedsDepth(written.value, LIMITS.nesting))
    return unusable(name, `it is declared in more than ${LIMITS.nesting} levels`);
  if (refersElsewhere(inputSchema)) return unusable(name, "its input schema refers to another document");
  const params = findParamHeaders(inputSchema);
  if (!params.ok) return unusable(name, params.error);
  return ok({
    name,
    ...(isSaid(title) && { title }),
    ...(isSaid(description) && { description }),
    inputSchema,
    annotations: isJsonObject(annotations) ? annotations : {},
    fingerprint: sha256(written.value),
    params: params.value,
    entry: { ...(title !== undefined && { title }), ...said },
  });
}

function isSaid(text: unknown): text is string {
  return typeof text === "string" && text.trim() !== "";
}

function unusable(operation: string, reason: string): Result<never, Unusable> {
  return err({ operation: visibleText(operation, LIMITS.mcpNameCharacters), reason });
}

/** A `$ref` that leads out of the schema would make somebody fetch it. */
function refersElsewhere(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([key, inner]) =>
      (/^\$(?:dynamic)?ref$/i.test(key) && typeof inner === "string" && !inner.startsWith("#")) ||
      refersElsewhere(inner),
  );
}

/** A schema that is missing, null or says nothing is that of a tool without arguments: its server takes any object. */
function toObjectSchema(schema: unknown): unknown {
  if (schema === undefined || schema === null) return { type: "object" };
  return isJsonObject(schema) && Object.keys(schema).length === 0 ? { type: "object" } : schema;
}
