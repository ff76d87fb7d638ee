import type { ChangeRefusal, FileChange, FileHead } from "../../feature/tool.ts";

/** How much a workspace holds. */
export interface WorkspaceLimits {
  readonly files: number;
  readonly bytes: number;
  /** The largest size of one file. */
  readonly fileBytes: number;
}

/**
 * An index of a workspace's files that needs no reading of them: how large each is, of which version, and how many there are
 * under every folder. A folder is only where files are: it comes with its first file and goes with its last.
 */
export class WorkspaceIndex {
  readonly #heads = new Map<string, FileHead>();
  /** Files under each folder. */
  readonly #folders = new Map<string, number>();
  #bytes = 0;
  #version = 0;

  constructor(heads: Iterable<FileHead> = []) {
    for (const head of heads) this.#put(head);
  }

  /** The next version: as large as the time, and larger than every one before, also where files of those are gone. */
  nextVersion(nowMs: number): number {
    return Math.max(nowMs, this.#version + 1);
  }

  /**
   * Say why a set of changes cannot be made, or null. Looks at the set as a whole: a file may take the place of a folder whose
   * files the same set removes.
   */
  check(changes: readonly FileChange[], limits: WorkspaceLimits): ChangeRefusal | null {
    const filesUnder = new Map<string, number>();
    let files = this.#heads.size;
    let bytes = this.#bytes;
    for (const { path, content, base } of changes) {
      const head = this.#heads.get(path);
      if (base !== undefined && (head?.version ?? null) !== base) return { reason: "changed", path };
      if (content !== null && content.length > limits.fileBytes) return { reason: "large-file", path };
      const step = Number(content !== null) - Number(head !== undefined);
      files += step;
      bytes += (content?.length ?? 0) - (head?.bytes ?? 0);
      if (step !== 0) for (const folder of foldersOf(path)) count(filesUnder, folder, step);
    }
    const removed = new Set(changes.filter(({ content }) => content === null).map(({ path }) => path));
    for (const { path, content } of changes) {
      if (content === null) continue;
      if ((this.#folders.get(path) ?? 0) + (filesUnder.get(path) ?? 0) > 0) return { reason: "folder", path };
      const file = foldersOf(path).find((folder) => this.#heads.has(folder) && !removed.has(folder));
      if (file !== undefined) return { reason: "inside-file", path, file };
    }
    return files > limits.files || bytes > limits.bytes ? { reason: "full" } : null;
  }

  /** The bytes of the file at a path and of all files under it together, their paths included; `""` is the root. */
  bytesAt(path: string): number {
    let bytes = 0;
    for (const head of this.#heads.values())
      if (path === "" || head.path === path || head.path.startsWith(`${path}/`))
        bytes += head.bytes + head.path.length;
    return bytes;
  }

  /** Make changes that `check` has let pass. */
  apply(changes: readonly FileChange[], version: number): void {
    for (const { path, content } of changes) {
      this.#remove(path);
      if (content !== null) this.#put({ path, bytes: content.length, version });
    }
    this.#version = Math.max(this.#version, version);
  }

  #put(head: FileHead): void {
    this.#heads.set(head.path, head);
    this.#bytes += head.bytes;
    this.#version = Math.max(this.#version, head.version);
    for (const folder of foldersOf(head.path)) count(this.#folders, folder, 1);
  }

  #remove(path: string): void {
    const head = this.#heads.get(path);
    if (head === undefined) return;
    this.#heads.delete(path);
    this.#bytes -= head.bytes;
    for (const folder of foldersOf(path)) count(this.#folders, folder, -1);
  }
}

function count(counts: Map<string, number>, folder: string, step: number): void {
  const next = (counts.get(folder) ?? 0) + step;
  if (next === 0) counts.delete(folder);
  else counts.set(folder, next);
}

/** The folders that a path lies in, the outermost first. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) folders.push(path.slice(0, at));
  return folders;
}
