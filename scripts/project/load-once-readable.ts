import { access } from "node:fs/promises";
import { watch } from "node:fs";
import { dirname, resolve } from "node:path";

import { CommandError } from "../command/command-error.ts";
import type { Wrangler } from "./find-wrangler.ts";
import { type Loaded, loadWorker } from "./load-worker.ts";
import type { Project } from "./read-project.ts";

/** Load the Worker; where its files cannot be read as code, say why and wait for a save, because Wrangler would wait for ever. */
export async function loadOnceReadable(
  project: Project,
  wrangler: Wrangler,
  note: (line: string) => void,
): Promise<Loaded> {
  const sources = dirname(resolve(project.folder, project.config.main ?? ""));
  const isWaitedFor = project.config.main !== undefined && (await isThere(sources));
  for (;;) {
    // A save that comes while the files are read counts too.
    const saved = isWaitedFor ? waitForSave(sources) : null;
    const loaded = await loadWorker(project, wrangler);
    if ("worker" in loaded || loaded.isBundled) {
      saved?.stop();
      return loaded;
    }
    if (saved === null) throw new CommandError(loaded.problem, 1);
    note(`${loaded.problem}\nIt is served once the mended file is saved.`);
    await saved.came;
  }
}

/** Wait until a file below a folder changes. */
function waitForSave(folder: string): { readonly came: Promise<unknown>; stop(): void } {
  const watching = new AbortController();
  const stop = (): void => watching.abort();
  const came = new Promise((resolve) => {
    watch(folder, { recursive: true, signal: watching.signal }, resolve).on("error", resolve);
  });
  return { came: came.finally(stop), stop };
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
