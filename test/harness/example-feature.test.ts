import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { checkObjects } from "../../scripts/project/check-objects.ts";
import { findWrangler } from "../../scripts/project/find-wrangler.ts";
import { loadWorker } from "../../scripts/project/load-worker.ts";
import { readProject } from "../../scripts/project/read-project.ts";
import type { Restore } from "../../src/core/contract/restore-step.ts";
import { buildBundle } from "../support/build-bundle.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { type RunningWorker, startMiniflare } from "../support/miniflare.ts";
import { objectsOf, readWranglerConfig } from "../support/wrangler-config.ts";

// A feature of somebody else's in the Worker of this repository: a folder, and its lines in the entries and in `wrangler.toml`.

const EXAMPLE = "test/feature/example";
const ENTRIES = ["src/worker.ts", "src/dev-worker.ts"] as const;
const FILES = [...ENTRIES, "wrangler.toml"] as const;
const FOLDER = "src/features/notes";

let project: string;
let worker: RunningWorker;
let features: readonly object[];
/** The lines that the command told to add. */
let told: readonly string[];

const at = (file: string): string => join(project, file);
const edit = async (file: string, change: (text: string) => string): Promise<void> =>
  writeFile(at(file), change(await readFile(at(file), "utf8")));

/** The lines that `volley doctor` tells to add for objects. */
async function askForLines(): Promise<readonly string[]> {
  const read = await readProject(project);
  const loaded = await loadWorker(read, findWrangler(project));
  if ("problem" in loaded) throw new Error(loaded.problem);
  features = loaded.worker.features;
  return checkObjects(read, loaded.worker).flatMap(({ add }) => add ?? []);
}

const addFolder = async (): Promise<void> => {
  await mkdir(at(FOLDER));
  const files = (await readdir(EXAMPLE)).filter((file) => !file.endsWith(".test.ts"));
  for (const file of files) {
    const text = await readFile(join(EXAMPLE, file), "utf8");
    await writeFile(at(join(FOLDER, file)), text.replaceAll('"../../../src/feature/', '"../../feature/'));
  }
};

const addLines = async (): Promise<void> => {
  await edit("src/worker.ts", (text) =>
    `import { notes } from "./features/notes/index.ts";\n${text}`.replace(
      "features: [",
      "features: [\n    notes(),",
    ),
  );
  told = await askForLines();
  for (const line of told)
    if (line.startsWith("export ")) {
      await edit("src/worker.ts", (text) => `${text}${line}\n`);
      await edit("src/dev-worker.ts", (text) => `${text}${line.replace("volley.", "served.")}\n`);
    } else await edit("wrangler.toml", (text) => `${text}\n${line}\n`);
};

/** The digest of the module that would be deployed. */
async function hashOf(config: string): Promise<string> {
  await using bundle = await buildBundle({ config });
  return createHash("sha256")
    .update(await readFile(bundle.path))
    .digest("hex");
}

const KEYS = {
  "keeper-key": { name: "keeper", tenant: "acme", flags: ["keep_notes", "manage_tools", "manage_keys"] },
  "reader-key": { name: "reader", tenant: "acme" },
};

beforeAll(async () => {
  await mkdir("dist", { recursive: true });
  project = resolve(await mkdtemp(join("dist", "example-")));
  await cp("src", at("src"), { recursive: true });
  const settings = await readFile("wrangler.toml", "utf8");
  await writeFile(at("wrangler.toml"), settings.replace('directory = "', 'directory = "../../'));
  await addFolder();
  await addLines();
  const bundle = await buildBundle({ config: at("wrangler.toml") });
  const config = await readWranglerConfig(at("wrangler.toml"));
  worker = await startMiniflare({
    script: bundle.path,
    vars: { VOLLEY_KEYS: await configureKeys(KEYS) },
    durableObjects: objectsOf(config),
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
  });
}, 300_000);

afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  if (project !== undefined) await rm(project, { recursive: true, force: true });
});

async function ask(path: string, body?: object, key: keyof typeof KEYS = "keeper-key") {
  const answer = await fetch(`${worker.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

describe("A feature of somebody else's, in the Worker of this repository", () => {
  test("has its lines for objects from the command, and none is missing then", async () => {
    expect(told).toEqual([
      "export const NoteTally = volley.NoteTally;",
      '[[durable_objects.bindings]]\nname = "NOTE_TALLY"\nclass_name = "NoteTally"',
      '[[migrations]]\ntag = "v10"\nnew_sqlite_classes = ["NoteTally"]',
    ]);
    expect(await askForLines()).toEqual([]);
  });

  test("answers over HTTP: by its flag, its limit and its code, and its job tells its object", async () => {
    expect((await ask("/v1/notes", { text: "a" }, "reader-key")).status).toBe(403);
    for (const [text, words] of [
      ["Water the plants", 3],
      ["b", 1],
      ["c", 1],
    ] as const) {
      const kept = await ask("/v1/notes", { text });
      expect(kept.status).toBe(201);
      const job = await ask(`/v1/jobs/${String(kept.json["job_id"])}?wait_s=20`);
      expect(job.json).toMatchObject({ tool: "count_words", status: "succeeded", data: { words } });
    }
    expect(await ask("/v1/notes", { text: "d" })).toMatchObject({
      status: 409,
      json: { code: "NOTES_FULL" },
    });
    expect((await ask("/v1/notes", undefined, "reader-key")).json["notes"]).toHaveLength(3);
  });

  test("stands in the document and among the features of the usage", async () => {
    const { paths, components } = (await ask("/openapi.json")).json as {
      readonly paths: Readonly<Record<string, object>>;
      readonly components: object;
    };
    expect(Object.keys(paths["/v1/notes"]!).toSorted()).toEqual(["get", "post"]);
    expect(JSON.stringify(components)).toContain("NOTES_FULL");
    expect((await ask("/v1/usage")).json["features"]).toContain("notes");
  });

  test("is exported, deleted with its tenant, and put back", async () => {
    const { notes } = (await ask("/v1/export")).json as {
      readonly notes: readonly { readonly text: string }[];
    };
    expect(notes.map(({ text }) => text).toSorted()).toEqual(["Water the plants", "b", "c"]);
    const gone = await ask("/v1/tenant/delete", { tenant: "acme" });
    expect(gone.json).toMatchObject({ tenant: "acme", notes: 3 });
    expect((await ask("/v1/notes")).json).toEqual({ notes: [], words: 0 });
    const { tenantPart } = features.find((one) => (one as { name: string }).name === "notes") as {
      readonly tenantPart: { readonly restore: Restore };
    };
    for (const { requests } of tenantPart.restore(notes, 0))
      for (const request of requests) expect((await ask(request.path, request.body)).status).toBe(201);
    expect((await ask("/v1/notes")).json["notes"]).toHaveLength(3);
  });

  test("leaves nothing when its folder and its lines are deleted: the build is as before", async () => {
    await rm(at(FOLDER), { recursive: true });
    for (const file of FILES) {
      const before = await readFile(file, "utf8");
      await edit(file, () => before.replace('directory = "', 'directory = "../../'));
    }
    expect(await hashOf(at("wrangler.toml"))).toBe(await hashOf("wrangler.toml"));
  }, 200_000);
});
