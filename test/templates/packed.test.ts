import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { TEMPLATES } from "../../scripts/templates/template-list.ts";
import { type PackedPackages, packPackages } from "../support/packed-packages.ts";

/* Both packages as they would be published, and each template made by the one and run by the other. */
let packed: PackedPackages;
beforeAll(async () => {
  packed = await packPackages();
}, 300_000);
afterAll(() => packed?.[Symbol.asyncDispose]());

const read = (...path: string[]): Promise<string> => readFile(join(packed.folder, ...path), "utf8");

test("the dry run of a release packs both packages, and changes nothing", () => {
  expect(packed.released).toMatch(/^Version (\S+) -> \1, tag v\1\.$/m);
  expect(packed.released).toMatch(/^Packed .*\/volley-\S+\.tgz: \d+ files/m);
  expect(packed.released).toMatch(/^Packed .*\/create-volley-\S+\.tgz: \d+ files/m);
  // It asks a registry, which these tests have not.
  expect(packed.released).toContain("The registry does not say whether the name 'volley' is free");
  expect(packed.released).toContain("nothing was committed, tagged or published");
});

test("the package has its notice, links that lead into the repository, and nothing that only changes of it need", async () => {
  const manifest = JSON.parse(await read("node_modules/volley/package.json")) as Record<string, unknown>;
  expect(manifest).toMatchObject({
    name: "volley",
    repository: { type: "git" },
    publishConfig: { provenance: true },
  });
  for (const field of ["private", "scripts", "devDependencies", "overrides"])
    expect(manifest).not.toHaveProperty(field);
  const notice = await read("node_modules/volley/dist/NOTICE");
  for (const name of ["just-bash", "mathjs"])
    expect(notice).toMatch(new RegExp(`^  ${name} .*Apache-2\\.0`, "m"));
  const readme = await read("node_modules/volley/README.md");
  expect(readme.match(/(?:\]\(|src="|srcset=")(?!https?:|#)[^)"]*/g)).toBeNull();
});

test("the package has the documentation in a folder of its own, if it was built, so that a Worker serves what it lists", async () => {
  const pages = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);
  const built = (await pages("dist/console/docs/assets")).length > 0 ? await pages("dist/console/docs") : [];
  const dist = join(packed.folder, "node_modules/volley/dist");
  expect(await pages(join(dist, "console-and-docs/docs"))).toEqual(built);
  expect(await pages(join(dist, "console"))).toEqual(
    expect.not.arrayContaining(["docs", "llms.txt", "llms-full.txt"]),
  );
  if (built.length > 0)
    expect(await pages(join(dist, "console-and-docs"))).toEqual(
      expect.arrayContaining(["_headers", "console.html", "docs", "llms.txt", "llms-full.txt"]),
    );
});

describe.each(TEMPLATES.map(({ name }) => name))("the template %s", (name) => {
  test("passes its tests and its types, and would be deployed, to staging too", async () => {
    const made = await packed.create(`made-${name}`, "--template", name, "--no-install", "--no-git");
    expect(made.code, made.text).toBe(0);
    expect(made.text).toMatch(
      new RegExp(`^  cd made-${name} && npm install\n  npm run dev\n  curl .*@batch\\.json$`, "m"),
    );
    expect(made.text).toContain('Where "npm run dev" names another port than 8787, write that one.');
    const folder = join(packed.folder, `made-${name}`);
    await symlink(join(packed.folder, "node_modules"), join(folder, "node_modules"));
    for (const [program, ...words] of [
      ["vitest", "run"],
      ["tsc"],
      ["volley", "tools", "check"],
      ["volley", "deploy", "--dry-run"],
      // The environments of all are written by one function: the others' is looked at as before a deploy, and not bundled again.
      ["volley", ...(name === "starter" ? ["deploy", "--dry-run"] : ["tools", "check"]), "--env", "staging"],
    ] as const) {
      const { code, text } = await packed.run(folder, program, ...words);
      expect(code, `${program} ${words.join(" ")}\n${text}`).toBe(0);
    }
  });

  test("is a project of the folder's name, with all that it needs and nothing left of the template's", async () => {
    const files = (await readdir(join(packed.folder, `made-${name}`), { recursive: true })).filter(
      (path) => !path.startsWith("node_modules"),
    );
    expect(files).toEqual(
      expect.arrayContaining([
        ".github/workflows/ci.yml",
        ".gitignore",
        "AGENTS.md",
        "README.md",
        "batch.json",
        "wrangler.toml",
      ]),
    );
    const manifest = JSON.parse(await read(`made-${name}`, "package.json")) as Record<string, unknown>;
    expect(manifest).toMatchObject({ name: `made-${name}`, scripts: { dev: "volley dev" } });
    const config = await read(`made-${name}`, "wrangler.toml");
    expect(config).toContain(`name = "made-${name}"`);
    expect(config).not.toContain(TEMPLATES.find((one) => one.name === name)!.project);
    const batch = JSON.parse(await read(`made-${name}`, "batch.json")) as { actions: object[] };
    expect(batch.actions.length).toBeGreaterThan(1);
    const readme = await read(`made-${name}`, "README.md");
    expect(readme).toContain("-d @batch.json");
  });
});

describe("npm create volley", () => {
  test("refuses a folder that is not empty, and what it does not know, and writes nothing", async () => {
    await mkdir(join(packed.folder, "full"));
    await writeFile(join(packed.folder, "full", "mine.txt"), "mine");
    expect(await packed.create("full", "--no-install")).toMatchObject({
      code: 1,
      text: expect.stringContaining("full is not empty: it has mine.txt. Nothing was made") as string,
    });
    expect(await readdir(join(packed.folder, "full"))).toEqual(["mine.txt"]);
    for (const [words, said] of [
      [["new", "--template", "startr"], "Did you mean starter?"],
      [
        ["new", "--templat", "starter"],
        "npm create volley has no option --templat. Did you mean --template?",
      ],
      [["new", "--pm", "cargo"], "--pm is one of npm, pnpm, yarn, bun"],
      [["new", "other"], "npm create volley does not take 'other'"],
      [["日本"], "gives the project no name"],
    ] as const)
      expect(await packed.create(...words)).toMatchObject({
        code: 2,
        text: expect.stringContaining(said) as string,
      });
    expect(await readdir(packed.folder)).not.toContain("new");
  });

  test("asks nothing without a terminal, and takes the starter", async () => {
    const { code, text } = await packed.create("--no-install", "--no-git");
    expect([code, text]).toEqual([0, expect.stringContaining("Made my-volley of the template starter.")]);
  });

  test("writes commands as the package manager spells them", async () => {
    await packed.create("with-pnpm", "--pm", "pnpm", "--no-install", "--no-git");
    expect(await read("with-pnpm", "README.md")).toContain("pnpm install\npnpm test\npnpm run dev");
    const agents = await read("with-pnpm", "AGENTS.md");
    expect(agents).toContain("`pnpm exec volley tools check`");
    expect(await read("with-pnpm", ".github/workflows/ci.yml")).toContain(
      "- run: npm install --global pnpm\n      - run: pnpm install\n      - run: pnpm run types\n      - run: pnpm test",
    );
  });

  test("tells Yarn to make node_modules, and says which Yarn", async () => {
    await writeFile(join(packed.folder, "yarn"), "#!/bin/sh\necho 4.9.9\n", { mode: 0o755 });
    await packed.create("with-yarn", "--pm", "yarn", "--no-install", "--no-git");
    expect(await read("with-yarn", ".yarnrc.yml")).toBe("nodeLinker: node-modules\n");
    expect(await read("with-yarn", ".gitignore")).toContain("\n.yarn\n");
    expect(JSON.parse(await read("with-yarn", "package.json"))).toMatchObject({
      name: "with-yarn",
      packageManager: "yarn@4.9.9",
    });
    expect(await read("with-yarn", "README.md")).toMatch(/Node 22\.13 or newer\. \[AGENTS/);
    expect(await read("with-yarn", ".github/workflows/ci.yml")).toContain(
      "- run: corepack enable\n      - run: yarn install\n",
    );
  });

  test("of a clone brings along Volley as the clone packs it", async () => {
    const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as { scripts: { create: string } };
    expect(scripts.create).toContain("build-create.ts --pack &&");
    await packed.buildCreate("--packed", join(packed.folder, "packed"));
    const { code } = await packed.createHere("of-a-clone", "--no-install", "--no-git");
    await packed.buildCreate();
    expect(code).toBe(0);
    // The package has the documentation only where it was built.
    const agents = await read("of-a-clone/AGENTS.md");
    const text = /node_modules\/volley\/[\w./-]+/.exec(agents)?.[0];
    if (text === undefined) expect(agents).toContain("packed here without its documentation");
    else await readFile(join(packed.folder, text));
    const { dependencies } = JSON.parse(await read("of-a-clone/package.json")) as {
      dependencies: { volley: string };
    };
    const archive = await readFile(
      join(packed.folder, "of-a-clone", dependencies.volley.slice("file:".length)),
    );
    expect(
      archive.equals(
        await readFile(join(packed.folder, "packed", dependencies.volley.slice("file:./".length))),
      ),
    ).toBe(true);
  });

  test("begins a git repository where git is there", async () => {
    const { text } = await packed.create("with-git", "--no-install");
    expect(text).toContain("Began a git repository.");
    expect(await readdir(join(packed.folder, "with-git"))).toContain(".git");
  });
});
