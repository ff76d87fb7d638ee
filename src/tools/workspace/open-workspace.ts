import * as z from "zod/mini";

import type { ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import {
  type ChangeRefusal,
  type FileChange,
  type FileHead,
  type FilesRead,
  type FileWrite,
  type WorkspaceFile,
  type WorkspaceMethods,
  WORKSPACES,
} from "../../core/contract/gate/workspace.ts";
import * as LIMITS from "../kit/limits.ts";
import { nearest } from "../../core/kit/nearest.ts";
import { attempt, attemptNow } from "../../core/kit/result.ts";
import { quotedText } from "../../core/kit/visible-text.ts";

/** The declaration that all tools of the workspace share. */
export const WORKSPACE = {
  category: "workspace",
  domain: "workspace",
  hosts: [],
} as const;

export const filePath = (): z.ZodMiniString =>
  z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(1_000),
      z.describe("The file's path, relative to the workspace's root, such as 'src/index.ts'."),
    );

/** A workspace as another isolate sees it. */
interface WorkspaceStub {
  heads(under: string, most?: number): Promise<FileHead[]>;
  read(path: string, mostBytes: number): Promise<FilesRead>;
  enter(bytes: number): Promise<number | null>;
  change(changes: readonly FileChange[], turn?: number): Promise<ChangeRefusal | null>;
  write(file: FileWrite, turn?: number): Promise<ReturnType<WorkspaceMethods["write"]>>;
  restore(path: string, version: number): Promise<ReturnType<WorkspaceMethods["restore"]>>;
  leave(turn: number): Promise<void>;
}

interface WorkspaceNamespace {
  idFromName(name: string): object;
  get(id: object): WorkspaceStub;
}

/** How what `write` and `edit` did is taken back. */
export const RESTORED = {
  tool: "restore_file",
  args: { path: { $ref: "result#/path" }, version: { $ref: "result#/version" } },
};

/** The workspace of the caller's tenant; nothing in a call's arguments can name another. */
export function workspaceOf(ctx: ToolContext): WorkspaceStub {
  const namespace = ctx.binding<WorkspaceNamespace>(WORKSPACES);
  return namespace.get(namespace.idFromName(ctx.caller.tenant));
}

/**
 * Read the file at a path, and every file under it where it is a folder. The call holds their bytes before they come, so that many
 * reads at once are bounded: at first as many as most files have, and of more exactly so many.
 */
export async function readFiles(path: string, ctx: ToolContext): Promise<readonly WorkspaceFile[]> {
  for (let most: number = LIMITS.workspaceFirstBytes; ;) {
    await ctx.hold(most);
    const read = await askWorkspace(ctx, (workspace) => workspace.read(path, most));
    if ("busy" in read) throw crowded("try again");
    if ("files" in read) {
      const { files, turn } = read;
      // It ends by itself too.
      if (turn !== undefined) void attempt(() => workspaceOf(ctx).leave(turn));
      return files;
    }
    most = read.bytes;
    await letGo(ctx);
  }
}

/** Give back what the call holds before it asks for more: calls that all hold some while they wait for more wait for each other. */
const letGo = (ctx: ToolContext): Promise<void> => ctx.hold(0);

/** List files under a folder, so many at most. The call holds what their paths may take. */
export async function listFiles(under: string, most: number, ctx: ToolContext): Promise<readonly FileHead[]> {
  await ctx.hold(most * LIMITS.workspacePathBytes);
  return askWorkspace(ctx, (workspace) => workspace.heads(under, most));
}

/** Ask the workspace what changes nothing; a failure may be tried again. */
async function askWorkspace<T>(
  ctx: ToolContext,
  ask: (workspace: WorkspaceStub) => Promise<T>,
  advice = "try again",
): Promise<T> {
  const workspace = workspaceOf(ctx);
  const asked = await attempt(() => ask(workspace));
  if (asked.ok) return asked.value;
  ctx.log.warn("the workspace did not answer", { error: String(asked.error) });
  throw new ToolFailure("OVERLOADED", { hint: `The workspace did not answer just now; ${advice}.` });
}

/**
 * Make changes as a whole, or none of them; why none, or null. Large ones are sent when it is their turn. An error after that goes on as
 * it is: whether the changes were made is then not known.
 */
export async function changeWorkspace(
  changes: readonly FileChange[],
  ctx: ToolContext,
): Promise<ChangeRefusal | null> {
  return inTurn(changes, ctx, (workspace, turn) => workspace.change(changes, turn));
}

/** Write a file in the same way; what it was before is kept, and the answer has the version that was made. */
export async function writeFile(file: Omit<FileWrite, "key">, ctx: ToolContext) {
  const keyed = { ...file, key: ctx.idempotencyKey };
  return inTurn([file], ctx, (workspace, turn) => workspace.write(keyed, turn));
}

async function inTurn<T>(
  changes: readonly FileChange[],
  ctx: ToolContext,
  send: (workspace: WorkspaceStub, turn?: number) => Promise<T>,
): Promise<T> {
  const bytes = changes.reduce((sum, { path, content }) => sum + path.length + (content?.length ?? 0), 0);
  if (bytes <= LIMITS.workspaceFirstBytes) return send(workspaceOf(ctx));
  const turn = await askWorkspace(ctx, (workspace) => workspace.enter(bytes), NOTHING_WRITTEN);
  if (turn === null) throw crowded(NOTHING_WRITTEN);
  return send(workspaceOf(ctx), turn);
}

const NOTHING_WRITTEN = "nothing was written, so try again";

function crowded(advice: string): ToolFailure {
  return new ToolFailure("OVERLOADED", {
    retryAfterMs: 1_000,
    hint: `Too much is read from the workspace and written to it at the moment; ${advice}.`,
  });
}

/** Read one file; throws `NOT_FOUND`, naming files that may have been meant, where there is none. */
export async function readFile(path: string, ctx: ToolContext): Promise<WorkspaceFile> {
  const found = await readFiles(path, ctx);
  const file = found.find((one) => one.path === path);
  if (file !== undefined) return file;
  if (found.length > 0)
    throw new ToolFailure("INVALID_ARGS", {
      hint: `${quotedText(path, 80)} is a folder; name one of its files, such as ${quotedText(found[0]!.path, 80)}.`,
    });
  throw await missingFile(path, ctx);
}

/** Paths that may have been meant: a slip is made in a workspace that one can overlook. */
const MOST_LOOKED_AT = 500;

async function missingFile(path: string, ctx: ToolContext): Promise<ToolFailure> {
  await letGo(ctx);
  const heads = await listFiles("", MOST_LOOKED_AT, ctx);
  const paths = heads.map((head) => head.path);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const sameName = paths.filter((one) => one === name || one.endsWith(`/${name}`)).slice(0, 3);
  const meant = sameName.length > 0 ? sameName : nearest(path, paths);
  const hint =
    meant.length > 0
      ? `did you mean ${meant.map((one) => quotedText(one, 80)).join(" or ")}?`
      : "glob lists the files there are.";
  return new ToolFailure("NOT_FOUND", { hint: `There is no file ${quotedText(path, 80)}; ${hint}` });
}

/** A file's content as text; throws `INVALID_ARGS` if it is not one. */
export function textOf({ path, content }: WorkspaceFile): string {
  // A mark of byte order at the beginning is part of the file too: a caller that writes it back keeps it.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const text = attemptNow(() => decoder.decode(content));
  if (text.ok) return text.value;
  throw new ToolFailure("INVALID_ARGS", {
    hint: `The file ${quotedText(path, 80)} is not text in UTF-8; bash can show its bytes, with od or base64.`,
  });
}

/** Text as a file's content; throws `INVALID_ARGS` where UTF-8 has no way to write it. */
export function toContent(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text);
  throw new ToolFailure("INVALID_ARGS", {
    hint: "The text holds half of a character (a lone surrogate); send whole ones.",
  });
}

/** Say why a change was not made; nothing of it was. */
export function refuseChange(refusal: ChangeRefusal): string {
  switch (refusal.reason) {
    case "changed":
      return `The file ${quotedText(refusal.path, 80)} was changed since; read it again.`;
    case "folder":
      return `${quotedText(refusal.path, 80)} is a folder; name a file in it, or another path.`;
    case "inside-file":
      return `${quotedText(refusal.file, 80)} is a file, so nothing can lie in it; choose another path.`;
    case "large-file":
      return `The file ${quotedText(refusal.path, 80)} would have more than ${LIMITS.workspaceFileBytes} bytes; divide it into several.`;
    case "full":
      return `The workspace would have more than ${LIMITS.workspaceBytes} bytes or ${LIMITS.workspaceFiles} files; remove some first, such as with bash and rm.`;
  }
}
