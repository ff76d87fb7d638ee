import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/** How a program ended: its exit code, and all that it printed. */
interface Ended {
  readonly code: number;
  readonly text: string;
}

/** A folder in which both packages are installed from their tarballs, as `npm run release -- --dry-run` packs them. */
export interface PackedPackages extends AsyncDisposable {
  readonly folder: string;
  /** The output of the dry run of the release. */
  readonly released: string;
  /** Make a project of a template in the folder. */
  create(...words: readonly string[]): Promise<Ended>;
  /** Build the package of `npm create volley` in this repository, and make a project with it. */
  buildCreate(...words: readonly string[]): Promise<string>;
  createHere(...words: readonly string[]): Promise<Ended>;
  /** Run a program of the installed packages. */
  run(cwd: string, program: string, ...words: readonly string[]): Promise<Ended>;
}

const root = resolve(".");

/**
 * Pack both packages and install them into a new folder. Packages that they and projects depend on are this repository's, which has the
 * same versions: nothing is asked of a registry.
 */
export async function packPackages(): Promise<PackedPackages> {
  const folder = await mkdtemp(join(tmpdir(), "volley-packed-"));
  const env = {
    ...process.env,
    NO_COLOR: "1",
    CI: "1",
    WRANGLER_LOG_PATH: folder,
    // Programs that a test puts there.
    PATH: `${folder}:${process.env["PATH"] ?? ""}`,
    // Refuses at once.
    npm_config_registry: "http://127.0.0.1:1/",
  };
  const end = async (program: string, words: readonly string[], cwd: string): Promise<Ended> =>
    promisify(execFile)(program, words, { cwd, env, maxBuffer: 64 * 1024 * 1024 }).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        text: stdout + stderr,
      }),
    );
  const must = async (program: string, ...words: readonly string[]): Promise<string> => {
    const { code, text } = await end(program, words, root);
    if (code !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${code}:\n${text}`);
    return text;
  };
  const node = process.execPath;
  const released = await must(node, "scripts/release.ts", "--dry-run", "--to", join(folder, "packed"));
  const modules = join(folder, "node_modules");
  await mkdir(modules);
  for (const tarball of (await readdir(join(folder, "packed"))).filter((name) => name.endsWith(".tgz"))) {
    await must("tar", "-xzf", join(folder, "packed", tarball), "-C", folder);
    await rename(join(folder, "package"), join(modules, tarball.replace(/-\d.*/, "")));
  }
  for (const name of await readdir(join(root, "node_modules")))
    if (!["volley", "create-volley"].includes(name))
      await symlink(join(root, "node_modules", name), join(modules, name));
  const programs: Readonly<Record<string, string>> = {
    volley: join(modules, "volley/dist/bin/volley.js"),
    tsc: join(modules, "typescript/bin/tsc"),
    vitest: join(modules, "vitest/vitest.mjs"),
  };
  return {
    folder,
    released,
    create: (...words) => end(node, [join(modules, "create-volley/create-volley.js"), ...words], folder),
    buildCreate: (...words) => must(node, "scripts/build-create.ts", ...words),
    createHere: (...words) => end(node, [join(root, "dist/create/create-volley.js"), ...words], folder),
    run: (cwd, program, ...words) => end(node, [programs[program]!, ...words], cwd),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
