import type { ToolReply } from "../../../turns/read-turn.ts";

/**
 * Write a reply as an MCP client reads it: what is an object with a `status` is Volley's here too, in text and structure. It is
 * put together from JSON text, so every number keeps its digits.
 */
export function toCallResult({ json, failed }: ToolReply): string {
  // Text needs no quotes to be read.
  const text = json.startsWith('"') ? json : JSON.stringify(json);
  // A structure is an object for clients of 2025; what is none goes into one.
  const structure = json.startsWith("{") ? json : `{"data":${json}}`;
  const marked = failed ? ',"isError":true' : "";
  return `{"content":[{"type":"text","text":${text}}],"structuredContent":${structure}${marked}}`;
}
