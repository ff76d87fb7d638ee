import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { findDeadLinks } from "../../scripts/docs/find-dead-links.ts";
import { tidyPages } from "../../scripts/docs/tidy-pages.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "volley-site-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

describe("A link of the built site", () => {
  test.each([
    ["a page", "/docs/jobs", false],
    ["a page that is not there", "/docs/job", true],
    ["the first page of a folder", "/docs/", false],
    ["a file", "/docs/code.css", false],
    ["a heading", "/docs/jobs#one", false],
    ["a heading that is not there", "/docs/jobs#two", true],
    ["a heading of its own page", "#here", false],
    ["a heading that its own page has not", "#there", true],
    ["the console, which is not of the site", "/console", false],
    ["another site", "https://example.com/docs/x", false],
  ])("to %s is dead: %s, %s", async (_, href, isDead) => {
    await write({
      "index.html": `<h1 id="here"><a href="${href}">x</a>`,
      "jobs.html": '<h2 id="one">',
      "code.css": "",
    });
    expect(await findDeadLinks(folder, "/docs/")).toEqual(isDead ? [`index.html: ${href}`] : []);
  });
});

describe("A page of the built site", () => {
  test("has its scripts in files, and no style in its markup", async () => {
    const page =
      '<script id="dark">go()</script><script src="/docs/a.js"></script><p style="--vp-vh:0px;">x</p>';
    await write({ "index.html": page, "deep/b.html": page, "assets/a.js": "" });
    await tidyPages(folder);
    const [html, other] = await Promise.all(
      ["index.html", "deep/b.html"].map((name) => readFile(join(folder, name), "utf8")),
    );
    expect(html).toMatch(
      /^<script id="dark" src="\/docs\/assets\/inline-\w{12}\.js"><\/script><script src="\/docs\/a\.js"><\/script><p>x<\/p>$/,
    );
    expect(other).toBe(html);
    const [script] = (await readdir(join(folder, "assets"))).filter((name) => name.startsWith("inline-"));
    expect(await readFile(join(folder, "assets", script!), "utf8")).toBe("go()");
  });

  test("that has another style ends the build, because the policy would drop it unseen", async () => {
    await write({ "index.html": '<p style="color:red">x</p>' });
    await expect(tidyPages(folder)).rejects.toThrow(
      'Cannot tidy index.html: its policy does not allow style="color:red"',
    );
  });
});
