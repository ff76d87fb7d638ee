import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import * as LIMITS from "../limits.ts";

/**
 * Make a tool's data of what an MCP tool answered: `structuredContent` where there is any, else its text, as it is; null where
 * there is nothing. Images, sounds and files are told and left out: a model reads no base64.
 */
export function toData(result: JsonObject): unknown {
  const { structuredContent, content } = result;
  if (structuredContent !== undefined) return structuredContent;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const texts = parts.flatMap(({ type, text }) =>
    type === "text" && typeof text === "string" ? [text] : [],
  );
  const others = parts.filter(({ type }) => type !== "text").map(describe);
  const text = texts.length === 0 ? null : texts.join("\n");
  return others.length === 0 ? text : { ...(text !== null && { text }), content: others };
}

function describe(part: JsonObject): JsonObject {
  const { type, data, resource } = part;
  switch (type) {
    case "image":
    case "audio":
      return { type, ...pick(part, ["mimeType"]), bytes: bytesOf(data) };
    case "resource_link":
      return { type, ...pick(part, ["uri", "name", "title", "description", "mimeType"]) };
    case "resource": {
      const { text, blob } = isJsonObject(resource) ? resource : {};
      const held = typeof text === "string" ? { text } : { bytes: bytesOf(blob) };
      return { type, ...pick(isJsonObject(resource) ? resource : {}, ["uri", "mimeType"]), ...held };
    }
    default:
      return { type: typeof type === "string" ? cut(type) : "unknown" };
  }
}

/** Some of what says what a part is, under the wire's names. */
function pick(part: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = part[name];
      return typeof value === "string" ? [[name === "mimeType" ? "mime_type" : name, cut(value)]] : [];
    }),
  );
}

function cut(text: string): string {
  return text.slice(0, LIMITS.mcpLabelCharacters);
}

/** How many bytes base64 stands for. */
function bytesOf(base64: unknown): number {
  if (typeof base64 !== "string") return 0;
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}
