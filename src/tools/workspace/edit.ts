import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { WORKSPACES } from "../../core/contract/gate/workspace.ts";
import * as LIMITS from "../kit/limits.ts";
import { quotedText } from "../../core/kit/visible-text.ts";
import { normaliseFilePath } from "./workspace-path.ts";
import {
  filePath,
  readFile,
  refuseChange,
  RESTORED,
  textOf,
  toContent,
  WORKSPACE,
  writeFile,
} from "./open-workspace.ts";

/** Replace a text that occurs once in a file of the caller's workspace. */
export const edit = defineTool({
  ...WORKSPACE,
  name: "edit",
  summary: "Replace one text in a file of the workspace",
  description:
    "Replace a text in a file of your workspace. It must occur there exactly once, with all its blanks and line breaks; give " +
    "enough of what is around it. `line` is where it began, `version` is for restore_file. Size: about 30 tokens.",
  actions: ["update"],
  isWrite: true,
  input: () =>
    z.strictObject({
      path: filePath(),
      old: z
        .string()
        .check(z.minLength(1), z.describe("The text to replace, exactly as it stands in the file.")),
      new: z.string().check(z.describe("The text to put in its place; empty removes it.")),
    }),
  bindings: [WORKSPACES],
  typicalTokens: 30,
  orchestration: { mode: "parallel-safe", compensate: RESTORED },
  run: async ({ path, old, new: replacement }, ctx) => {
    const normal = normaliseFilePath(path);
    for (let run = 0; run < LIMITS.workspaceTries; run += 1) {
      const file = await readFile(normal, ctx);
      const text = textOf(file);
      const at = findOnce(text, old, normal);
      const edited = text.slice(0, at) + replacement + text.slice(at + old.length);
      const content = toContent(edited);
      const written = await writeFile({ path: normal, content, base: file.version }, ctx);
      if ("version" in written) {
        const line = text.slice(0, at).split("\n").length;
        return { path: normal, bytes: content.length, line, version: written.version };
      }
      if (written.reason !== "changed")
        throw new ToolFailure("INVALID_ARGS", { hint: refuseChange(written) });
    }
    throw new ToolFailure("OVERLOADED", {
      hint: `Others keep changing ${quotedText(normal, 80)}; nothing was written, so try again.`,
    });
  },
});

/** Where a text stands that is there once. Occurrences that overlap are several. */
function findOnce(text: string, part: string, path: string): number {
  const at = text.indexOf(part);
  let times = 0;
  for (let next = at; next !== -1 && times <= MOST_COUNTED; next = text.indexOf(part, next + 1)) times += 1;
  if (times === 1) return at;
  const found = times > MOST_COUNTED ? `more than ${MOST_COUNTED} times` : `${times} times`;
  const advice =
    times === 0
      ? "read the file and send the text exactly as it stands there"
      : "send more of what is around it, so that it is the only one";
  throw new ToolFailure("INVALID_ARGS", {
    hint: `The old text stands ${times === 0 ? "nowhere" : found} in ${quotedText(path, 80)}; ${advice}.`,
  });
}

const MOST_COUNTED = 100;
