/** A file of a tenant's workspace, without what is in it. Paths are normalised: no leading slash, no `.`, no `..`. */
export interface FileHead {
  readonly path: string;
  readonly bytes: number;
  /** Grows with every change of the workspace: one version of a file is one content, also where that was put back. */
  readonly version: number;
}

/** A file of a tenant's workspace. */
export interface WorkspaceFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly version: number;
}

/**
 * The files that were asked for, with the turn that ends when they have come, where they are many; or how many bytes they and their
 * paths take, where those are more than were asked for; or that no turn came in time.
 */
export type FilesRead =
  | { readonly files: readonly WorkspaceFile[]; readonly turn?: number }
  | { readonly bytes: number }
  | { readonly busy: true };

/** One change of a set that is made as a whole or not at all. */
export interface FileChange {
  readonly path: string;
  /** The file's content from now on; null: there is no file. */
  readonly content: Uint8Array | null;
  /** The version that the change was made from, null where there was no such file. Without it, whatever there is. */
  readonly base?: number | null;
}

/** A change of one file before which its content is kept. */
export interface FileWrite extends FileChange {
  readonly content: Uint8Array;
  /** The same on every attempt of the write: one that was made is not made again. */
  readonly key: string;
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

/**
 * The methods of a tenant's workspace. No reader sees half of a change.
 *
 * The bytes that are under way to the object or from it are bounded. No more than `LIMITS.workspaceFirstBytes` goes at once, and
 * everything else in its turn.
 */
export interface WorkspaceMethods {
  /** Files under a folder, by path, without what is in them; `""` is the root, `most` how many at most. */
  heads(under: string, most?: number): FileHead[];
  /** The file at a path, and every file under it where it is a folder, by path; no more than `mostBytes` of them together. */
  read(path: string, mostBytes: number): Promise<FilesRead>;
  /** Wait for a turn to send so many bytes of changes; null where none came in time, and nothing is to be sent. */
  enter(bytes: number): Promise<number | null>;
  /** Make all of these changes, or none; why none, or null. No path occurs twice. The turn that they came in ends with it. */
  change(changes: readonly FileChange[], turn?: number): ChangeRefusal | null;
  /** Make one change, and keep what was there before; the version that it made, or why none. */
  write(file: FileWrite, turn?: number): ChangeRefusal | { readonly version: number };
  /** Put a file back to what it was before the write that made a version; why not, or null. Once: nothing more happens after that. */
  restore(path: string, version: number): ChangeRefusal | { readonly reason: "forgotten" } | null;
  /** End the turn of a read whose files have come. */
  leave(turn: number): void;
  /** Delete every file; how many there were. */
  erase(): number;
}
