import type {
  ChangeRefusal,
  FileChange,
  FileHead,
  FilesRead,
  FileWrite,
  WorkspaceFile,
  WorkspaceMethods,
} from "../../src/core/contract/gate/workspace.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import { WorkspaceIndex } from "../../src/features/workspace/workspace-index.ts";

const ROOM = {
  files: LIMITS.workspaceFiles,
  bytes: LIMITS.workspaceBytes,
  fileBytes: LIMITS.workspaceFileBytes,
};

/** A tenant's workspace in memory, under the rules of the real one. */
class FakeWorkspace implements WorkspaceMethods {
  readonly #files = new Map<string, WorkspaceFile>();
  readonly #index = new WorkspaceIndex();
  /** Files as they were before writes, by path and version; undefined once put back. */
  readonly #earlier = new Map<string, WorkspaceFile | null | undefined>();

  async read(path: string, mostBytes: number): Promise<FilesRead> {
    const bytes = this.#index.bytesAt(path);
    return bytes > mostBytes ? { bytes } : { files: this.#under(path) };
  }

  #under(path: string): WorkspaceFile[] {
    const isUnder = (one: string): boolean => path === "" || one === path || one.startsWith(`${path}/`);
    return [...this.#files.values()]
      .filter((file) => isUnder(file.path))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  heads(under: string, most: number = ROOM.files): FileHead[] {
    return this.#under(under)
      .slice(0, most)
      .map(({ path, version, content }) => ({ path, version, bytes: content.length }));
  }

  async enter(): Promise<number | null> {
    return 1;
  }

  leave(): void {}

  erase(): number {
    const files = this.#files.size;
    this.change([...this.#files.keys()].map((path) => ({ path, content: null })));
    return files;
  }

  change(changes: readonly FileChange[]): ChangeRefusal | null {
    const refused = this.#index.check(changes, ROOM);
    if (refused !== null) return refused;
    this.#make(changes, this.#index.nextVersion(0));
    return null;
  }

  write({ path, content, ...rest }: FileWrite) {
    const change = { path, content, ...(rest.base !== undefined && { base: rest.base }) };
    const refused = this.#index.check([change], ROOM);
    if (refused !== null) return refused;
    const version = this.#index.nextVersion(0);
    this.#earlier.set(`${change.path}@${version}`, this.#files.get(change.path) ?? null);
    this.#make([change], version);
    return { version };
  }

  restore(path: string, version: number) {
    const name = `${path}@${version}`;
    const earlier = this.#earlier.get(name);
    if (earlier === undefined) return this.#earlier.has(name) ? null : { reason: "forgotten" as const };
    const change = { path, content: earlier?.content ?? null, base: version };
    const refused = this.#index.check([change], ROOM);
    if (refused !== null) return refused;
    this.#make([change], earlier?.version ?? version);
    this.#earlier.set(name, undefined);
    return null;
  }

  #make(changes: readonly FileChange[], version: number): void {
    this.#index.apply(changes, version);
    for (const { path, content } of changes) {
      if (content === null) this.#files.delete(path);
      else this.#files.set(path, { path, content, version });
    }
  }
}

/** The namespace of workspaces, by tenant; `before` happens ahead of every change, as if somebody else were faster. */
export class FakeWorkspaces {
  readonly #workspaces = new Map<string, FakeWorkspace>();
  before: () => void = () => {};
  /** No turn comes in time. */
  isBusy = false;

  idFromName(name: string): object {
    return { name };
  }

  get({ name }: { readonly name: string }): object {
    const workspace = this.of(name);
    return {
      heads: async (under: string, most?: number) => workspace.heads(under, most),
      read: (path: string, mostBytes: number) => workspace.read(path, mostBytes),
      enter: async () => (this.isBusy ? null : workspace.enter()),
      leave: async () => workspace.leave(),
      erase: async () => workspace.erase(),
      change: async (changes: readonly FileChange[]) => {
        this.before();
        return workspace.change(changes);
      },
      write: async (file: FileWrite) => {
        this.before();
        return workspace.write(file);
      },
      restore: async (path: string, version: number) => workspace.restore(path, version),
    };
  }

  of(tenant: string): FakeWorkspace {
    const workspace = this.#workspaces.get(tenant) ?? new FakeWorkspace();
    this.#workspaces.set(tenant, workspace);
    return workspace;
  }
}
