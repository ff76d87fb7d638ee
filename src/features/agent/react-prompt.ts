import type { ToolDescriptor } from "../discovery/batch-tool.ts";
import { splitContract, withContract } from "../discovery/plain-schema.ts";

/**
 * Write the system text for a model that calls tools in text: the format, what a result means, and the tools.
 *
 * Byte-stable: the same tools in the same order make the same text, so that a prompt cache holds it.
 */
export function makeReactPrompt(tools: readonly ToolDescriptor[]): string {
  if (tools.length === 0) return NO_TOOLS;
  return [FORMAT, "Tools:", ...tools.map(describeTool)].join("\n\n");
}

const NO_TOOLS = "There are no tools to call. Answer the user directly.";

const FORMAT = `You can call the tools listed below. To call tools, write exactly this:

Thought: what you need to find out or do
Action: the tool's name
Action Input: {"argument": "value"}

The input is one JSON object on one line, {} for a tool without arguments. You may write several pairs of Action and Action Input one after another: they run in parallel as one batch, so put into one turn only what does not need another's result. Then stop and wait. The user's next message begins with Observation and holds the results, numbered in your order; never write an Observation yourself.

When you need no tool, or have what you need, write:

Thought: why this is enough
Final Answer: the answer to the user

A turn has either actions or a Final Answer, never both.

Results with a status:
- "error" and "skipped": it did not happen. Say so or try again as the hint says; never guess the data.
- "initiated": the work is under way in the background and not done yet. Never say that it is done.
- "pending_confirmation": it has not happened; a person has to agree first.`;

function describeTool({ name, description, inputSchema }: ToolDescriptor): string {
  const { schema, contract } = splitContract(inputSchema);
  return `${name}: ${withContract(description, contract)}\nArguments: ${JSON.stringify(schema)}`;
}

/** A result of a call, as it is told to the model. */
export interface Observed {
  readonly name: string;
  /** JSON text. */
  readonly json: string;
}

/**
 * Write the results of a turn's calls as the observation that answers it, in their order.
 *
 * Each stands on a line of its own. JSON text needs no line break, and those between its tokens are taken out, so nothing
 * that a tool says can begin a line and pass for another result.
 */
export function writeObservation(results: readonly Observed[]): string {
  const lines = results.map(({ json }) => toLine(json));
  if (lines.length === 1) return `Observation: ${lines[0]}`;
  return results.map(({ name }, at) => `Observation ${at + 1} (${toLine(name)}): ${lines[at]}`).join("\n");
}

/** Inside a JSON string a line break is escaped, so one that stands there separates tokens; so do those of Unicode, if raw. */
function toLine(text: string): string {
  return text.replaceAll(LINE_BREAK, (found) =>
    found === "\u2028" || found === "\u2029" || found === "\u0085" ? escape(found) : " ",
  );
}

const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/g;

/** These may stand raw inside a JSON string, where their escape says the same. */
function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
