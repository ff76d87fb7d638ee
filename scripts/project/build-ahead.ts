import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";

import type * as esbuild from "esbuild";

import { sayBuildFailure } from "./load-worker.ts";

interface Ahead {
  /** The entry of the Worker, and the module that Wrangler is given instead; both whole paths. */
  readonly entry: string;
  readonly out: string;
  /** Places are said from here. */
  readonly folder: string;
  /** The classes of objects that the module exports. */
  readonly classes: readonly string[];
  readonly note: (line: string) => void;
}

/**
 * Bundle a Worker's own files ahead of Wrangler, now and with every save, so that Wrangler always has code to serve: of files with a slip it is a module
 * that answers 503 with the slip. Wrangler alone keeps requests back until it can bundle again, and then sends them, though their callers have left.
 */
export async function buildAhead({ context }: typeof esbuild, ahead: Ahead): Promise<AsyncDisposable> {
  const { entry, out, folder, classes, note } = ahead;
  await mkdir(dirname(out), { recursive: true });
  let said = "";
  const built = await context({
    entryPoints: [entry],
    outfile: out,
    absWorkingDir: folder,
    bundle: true,
    write: false,
    // `browser` would write `process.env.NODE_ENV` down, which Wrangler decides.
    platform: "neutral",
    format: "esm",
    target: "esnext",
    // Wrangler resolves packages and data by its own rules.
    packages: "external",
    conditions: ["workerd", "worker", "browser"],
    sourcemap: "inline",
    sourcesContent: false,
    logLevel: "silent",
    plugins: [
      {
        name: "ahead",
        setup(building) {
          building.onResolve({ filter: DATA }, ({ path, resolveDir }) => ({
            path: `./${relative(dirname(out), resolve(resolveDir, path)).split(sep).join("/")}`,
            external: true,
          }));
          building.onEnd(async ({ errors, outputFiles }) => {
            const slip = errors.length === 0 ? "" : sayBuildFailure({ errors, message: "" });
            if (slip !== "" && slip !== said)
              note(`${slip}\nRequests are answered 503 until the mended file is saved.`);
            said = slip;
            await writeChanged(out, slip === "" ? outputFiles![0]!.text : writeStandIn(slip, classes));
          });
        },
      },
    ],
  });
  // A failure is written down as well as a bundle.
  await built.rebuild().catch(() => null);
  await built.watch();
  return { [Symbol.asyncDispose]: () => built.dispose() };
}

/** Files of a Worker that are no code, by what Wrangler and its users call them. */
const DATA = /^\..*\.(?:txt|html|sql|bin|wasm|css|md|svg|pem|graphql)(?:\?module)?$/;

/** Write what stands for a Worker whose files have a slip. Its objects keep their alarms until they are there again. */
function writeStandIn(slip: string, classes: readonly string[]): string {
  const detail = `Volley cannot start, and tries again when a source is saved. ${slip}`;
  return [
    'import { DurableObject } from "cloudflare:workers";',
    `const problem = ${JSON.stringify({ type: "urn:volley:problem:UNAVAILABLE", title: "The request could not be served just now.", status: 503, code: "UNAVAILABLE", detail })};`,
    "const answer = () => Response.json({ ...problem, request_id: crypto.randomUUID() }, { status: 503, headers: { 'content-type': 'application/problem+json' } });",
    "export default { fetch: answer };",
    "class Standing extends DurableObject { fetch() { return answer(); } alarm() { return this.ctx.storage.setAlarm(Date.now() + 1_000); } }",
    ...classes.map((name) => `export class ${name} extends Standing {}`),
    "",
  ].join("\n");
}

async function writeChanged(path: string, text: string): Promise<void> {
  if ((await readFile(path, "utf8").catch(() => null)) !== text) await writeFile(path, text);
}
