import {
  BOOLEAN,
  LIST,
  NULL,
  OBJECT,
  STRING,
  ANYTHING,
  either,
  findMisfits,
  isObject,
  type JsonObject,
  matching,
  oneOf,
  type Path,
  type Shape,
  shaped,
} from "./find-misfits.ts";
import { type MessagesProblem, refuse, refuseAt, toMessagesProblem } from "./messages-problem.ts";

/** Who writes the blocks: a role, the system, or a tool. */
type Writer = "user" | "assistant" | "system" | "tool_result";

interface BlockType {
  readonly shape: Shape;
  readonly by: readonly Writer[];
}

const ID = matching(/^[a-zA-Z0-9_-]+$/);
const NAME = matching(/^[a-zA-Z0-9_-]{1,128}$/);
const CACHED: Shape = { "cache_control?": either(OBJECT, NULL) };
const CALL: Shape = { type: STRING, id: ID, name: NAME, input: OBJECT, "caller?": OBJECT, ...CACHED };
const FILE = shaped({ type: oneOf("file"), file_id: STRING });
const URL_SOURCE = shaped({ type: oneOf("url"), url: STRING });
const SERVED: BlockType = {
  shape: { type: STRING, tool_use_id: ID, content: either(LIST, OBJECT), "caller?": OBJECT, ...CACHED },
  by: ["assistant"],
};

/** The fields of each type of content block, and who may write it. */
const BLOCKS: Readonly<Record<string, BlockType>> = {
  text: {
    shape: { type: STRING, text: STRING, "citations?": either(LIST, NULL), ...CACHED },
    by: ["user", "assistant", "system", "tool_result"],
  },
  image: {
    shape: {
      type: STRING,
      source: either(
        shaped({
          type: oneOf("base64"),
          data: STRING,
          media_type: oneOf("image/jpeg", "image/png", "image/gif", "image/webp"),
        }),
        URL_SOURCE,
        FILE,
      ),
      "transformations?": either(OBJECT, NULL),
      ...CACHED,
    },
    by: ["user", "tool_result"],
  },
  document: {
    shape: {
      type: STRING,
      source: either(
        shaped({ type: oneOf("base64"), data: STRING, media_type: oneOf("application/pdf") }),
        shaped({ type: oneOf("text"), data: STRING, media_type: oneOf("text/plain") }),
        shaped({ type: oneOf("content"), content: either(STRING, LIST) }),
        URL_SOURCE,
        FILE,
      ),
      "citations?": either(OBJECT, NULL),
      "context?": either(STRING, NULL),
      "title?": either(STRING, NULL),
      ...CACHED,
    },
    by: ["user", "tool_result"],
  },
  search_result: {
    shape: { type: STRING, source: STRING, title: STRING, content: LIST, "citations?": OBJECT, ...CACHED },
    by: ["user", "tool_result"],
  },
  tool_reference: { shape: { type: STRING, tool_name: NAME, ...CACHED }, by: ["tool_result"] },
  browser_state: {
    shape: { type: STRING, tabs: LIST, "state_changes?": either(LIST, NULL), ...CACHED },
    by: ["tool_result"],
  },
  container_upload: { shape: { type: STRING, file_id: STRING, ...CACHED }, by: ["user", "assistant"] },
  tool_use: { shape: { ...CALL, "toolset_name?": either(STRING, NULL) }, by: ["assistant"] },
  server_tool_use: { shape: CALL, by: ["assistant"] },
  mcp_tool_use: {
    shape: { type: STRING, id: ID, name: STRING, server_name: STRING, input: OBJECT, ...CACHED },
    by: ["assistant"],
  },
  mcp_tool_result: {
    shape: {
      type: STRING,
      tool_use_id: ID,
      "content?": either(STRING, LIST),
      "is_error?": BOOLEAN,
      ...CACHED,
    },
    by: ["assistant"],
  },
  tool_result: {
    shape: {
      type: STRING,
      tool_use_id: ID,
      "content?": either(STRING, LIST),
      "is_error?": BOOLEAN,
      "toolset_name?": either(STRING, NULL),
      ...CACHED,
    },
    by: ["user"],
  },
  thinking: {
    shape: { type: STRING, thinking: STRING, signature: matching(/^[^]+$/) },
    by: ["assistant"],
  },
  redacted_thinking: { shape: { type: STRING, data: STRING }, by: ["assistant"] },
  web_search_tool_result: SERVED,
  web_fetch_tool_result: SERVED,
  code_execution_tool_result: SERVED,
  bash_code_execution_tool_result: SERVED,
  text_editor_code_execution_tool_result: SERVED,
  tool_search_tool_result: SERVED,
  advisor_tool_result: SERVED,
  compaction: {
    shape: {
      type: STRING,
      "content?": either(STRING, NULL),
      "encrypted_content?": either(STRING, NULL),
      "signature?": either(STRING, NULL),
      "tool_changes?": ANYTHING,
      ...CACHED,
    },
    by: ["assistant"],
  },
};

/** Find what Anthropic would refuse about the blocks of a message, of the system or of a tool's result. */
export function* findBlockProblems(
  blocks: readonly unknown[],
  { by, path }: { readonly by: Writer; readonly path: Path },
): Generator<MessagesProblem, undefined> {
  for (const [index, block] of blocks.entries()) {
    const place = [...path, index];
    const tag = isObject(block) ? block["type"] : undefined;
    if (typeof tag !== "string") {
      yield refuseAt([...place, "type"], "Field required");
      return;
    }
    const type = Object.hasOwn(BLOCKS, tag) ? BLOCKS[tag] : undefined;
    if (type === undefined) {
      yield refuseAt(
        place,
        `Input tag '${tag}' found using 'type' does not match any of the expected tags: ${Object.keys(BLOCKS).join(", ")}`,
      );
      return;
    }
    if (!type.by.includes(by))
      yield refuseAt(place, `\`${tag}\` blocks cannot be in ${by === "tool_result" ? "a" : "the"} ${by}`);
    for (const misfit of findMisfits(block, type.shape, [...place, tag])) yield toMessagesProblem(misfit);
    yield* findContentProblems(block as JsonObject, [...place, tag]);
  }
}

function* findContentProblems(block: JsonObject, path: Path): Generator<MessagesProblem, undefined> {
  const { type, text, content } = block;
  if (type === "text" && text === "") yield refuse("messages: text content blocks must be non-empty");
  if (type === "text" && String(text).trim() === "")
    yield refuse("messages: text content blocks must contain non-whitespace text");
  if (type !== "tool_result") return;
  const isEmpty = content === undefined || (content as string | unknown[]).length === 0;
  if (isEmpty && block["is_error"] === true)
    yield refuseAt(path, "content cannot be empty if `is_error` is true");
  if (Array.isArray(content))
    yield* findBlockProblems(content, { by: "tool_result", path: [...path, "content"] });
}
