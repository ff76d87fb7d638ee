/** A file of a tenant's workspace, without what is in it. Paths are normalised: no leading slash, no `.`, no `..`. */
export interface FileHead {
  readonly path: string;
  readonly bytes: number;
  /** Grows with every change of the workspace: two versions of a file are never the same. */
  readonly version: number;
}

/** A file of a tenant's workspace. */
export interface WorkspaceFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly version: number;
}

/** The files that were asked for; or how many bytes they and their paths take, where those are more than were asked for. */
export type FilesRead = { readonly files: readonly WorkspaceFile[] } | { readonly bytes: number };

/** One change of a set that is made as a whole or not at all. */
export interface FileChange {
  readonly path: string;
  /** The file's content from now on; null: there is no file. */
  readonly content: Uint8Array | null;
  /** The version that the change was made from, null where there was no such file. Without it, whatever there is. */
  readonly base?: number | null;
}

/** Why a set of changes was not made. */
export type ChangeRefusal =
  /** The file is not the version any more that the change was made from. */
  | { readonly reason: "changed"; readonly path: string }
  /** There are files under that path. */
  | { readonly reason: "folder"; readonly path: string }
  /** A part of that path is a file. */
  | { readonly reason: "inside-file"; readonly path: string; readonly file: string }
  | { readonly reason: "large-file"; readonly path: string }
  | { readonly reason: "full" };

/** The binding of the workspaces' namespace; a tenant's is the one of its name. */
export const WORKSPACES = "WORKSPACES";

/** The methods of a tenant's workspace. Each is one turn of its object: no reader sees half of a change. */
export interface WorkspaceMethods {
  /** Files under a folder, by path, without what is in them; `""` is the root, `most` how many at most. */
  heads(under: string, most?: number): FileHead[];
  /** The file at a path, and every file under it where it is a folder, by path; no more than `mostBytes` of them together. */
  read(path: string, mostBytes: number): FilesRead;
  /** Make all of these changes, or none; why none, or null. No path occurs twice. */
  change(changes: readonly FileChange[]): ChangeRefusal | null;
}
