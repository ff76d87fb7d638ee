import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Bundle, buildBundle } from "../support/build-bundle.ts";
import { startMiniflare } from "../support/miniflare.ts";
import { objectsOf, readWranglerConfig } from "../support/wrangler-config.ts";

const CONFIG = "wrangler.toml";
/** Half of it are libraries: Zod, Hono, MiniSearch, and what reads YAML, crons, times in words and JSON Schema. */
const GZIP_LIMIT = 622.5 * 1024;

/** A Worker of the free plan may have three times as much. */
const ALL_GZIP_LIMIT = 1271 * 1024;

let bundle: Bundle;
let code: string;

// Beside other work a build of everything takes more than what is usual for a hook.
beforeAll(async () => {
  bundle = await buildBundle({ config: CONFIG });
  code = await readFile(bundle.path, "utf8");
}, 240_000);

afterAll(async () => {
  await bundle?.[Symbol.asyncDispose]();
});

describe("The bundle that is deployed", () => {
  test("takes at most 622.5 KiB gzipped", () => {
    expect(bundle.gzipBytes).toBeLessThanOrEqual(GZIP_LIMIT);
  });

  test("has no pack in it, as long as no tool needs one", () => {
    expect([...bundle.texts.keys()]).toEqual([]);
  });

  test("makes no code from text", () => {
    expect(code).not.toMatch(/\beval\s*\(/);
    expect(code).not.toMatch(/\bnew\s+Function\s*\(/);
    // `zod/mini` leaves out what Zod's larger edition has of it, for runtimes that allow it.
    expect(code).not.toMatch(/=\s*Function\b/);
  });

  test("holds no key, no secret, and nothing of the sandbox", () => {
    // Not `toContain`: a failure would print all of it.
    for (const text of ["sandbox", "probe-", "re_sandbox", ".sandbox.test", "84ee53608366a8fc"])
      expect([text, code.includes(text)]).toEqual([text, false]);
    // Texts that look like a digest, a provider's key or a private key.
    expect(code).not.toMatch(/\b[0-9a-f]{64}\b/);
    expect(code).not.toMatch(/\b(?:sk-|re_|AIza|BSA)[A-Za-z0-9_-]{16,}/);
    expect(code).not.toContain("PRIVATE KEY");
  });

  test("refuses every request until a key is configured", async () => {
    const config = await readWranglerConfig(CONFIG);
    await using volley = await startMiniflare({
      script: bundle.path,
      durableObjects: objectsOf(config),
      compatibilityDate: config.compatibility_date,
      compatibilityFlags: config.compatibility_flags,
    });
    expect((await fetch(`${volley.url}/healthz`)).status).toBe(200);
    for (const key of ["sandbox-key", "", "undefined"]) {
      const headers = { authorization: `Bearer ${key}` };
      expect((await fetch(`${volley.url}/v1/tools`, { headers })).status).toBe(401);
    }
  });
});

/** `src/worker.ts` and `wrangler.toml` with all of their opt-in lines in force, as an operator who wants everything has them. */
async function optInEverything(): Promise<{ readonly config: string } & AsyncDisposable> {
  await mkdir("dist", { recursive: true });
  const folder = await mkdtemp(join("dist", "everything-"));
  const worker = await readFile("src/worker.ts", "utf8");
  await writeFile(
    join(folder, "worker.ts"),
    worker
      .replaceAll(/^\/\/ (?=(?:import|const|export) )/gm, "")
      .replace("tools: SHIPPED_TOOLS", "tools")
      .replaceAll('"./', '"../../src/'),
  );
  const config = join(folder, "wrangler.toml");
  const settings = await readFile(CONFIG, "utf8");
  await writeFile(
    config,
    settings
      .replaceAll(/^# (?=\[|[a-z_]+ = )/gm, "")
      .replace('main = "src/worker.ts"', 'main = "worker.ts"')
      .replace('migrations_dir = "', 'migrations_dir = "../../')
      .replace('directory = "', 'directory = "../../'),
  );
  return { config, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test("With every opt-in line in force it takes at most 1,271 KiB gzipped, packs included", async () => {
  await using everything = await optInEverything();
  await using all = await buildBundle(everything);
  expect([...all.texts.keys()].toSorted()).toEqual([
    "calculator.txt",
    "presentation.txt",
    "search.txt",
    "shell.txt",
  ]);
  const packs = [...all.texts.values()].reduce((sum, bytes) => sum + bytes, 0);
  expect(all.gzipBytes + packs).toBeLessThanOrEqual(ALL_GZIP_LIMIT);
});
