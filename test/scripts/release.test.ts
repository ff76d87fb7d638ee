import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { dateChangelog, readSection } from "../../scripts/release/date-changelog.ts";
import { readAddress, withAbsoluteLinks } from "../../scripts/release/repository-address.ts";

const CHANGELOG =
  "# Changelog\n\n## 0.2.0 (unreleased)\n\nNew things.\n\n## 0.1.0 (2026-01-01)\n\nOld things.\n";

test("a release dates the changelog's section, and refuses a version that has none", () => {
  const dated = dateChangelog(CHANGELOG, "0.2.0", "2026-11-24");
  expect(dated).toContain("\n## 0.2.0 (2026-11-24)\n");
  expect(readSection(dated, "0.2.0")).toBe("New things.");
  expect(() => dateChangelog(CHANGELOG, "0.3.0", "2026-11-24")).toThrow(
    "has no section '## 0.3.0 (unreleased)'",
  );
  expect(() => dateChangelog(CHANGELOG, "0.1.0", "2026-11-24")).toThrow("0.1.0");
});

test("the changelog has a section for the version that is next", async () => {
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  const dated = dateChangelog(await readFile("CHANGELOG.md", "utf8"), version, "2026-11-24");
  expect(readSection(dated, version).length).toBeGreaterThan(100);
});

test("links of the README lead into the repository at the tag, and pictures to their files", () => {
  const page =
    '[a](docs/a.md#b) [c](https://c.example) [d](#d) ![e](docs/e.svg) <img src="docs/f.png"> YOUR-ACCOUNT';
  expect(withAbsoluteLinks(page, "https://github.com/acme/volley", "1.2.3")).toBe(
    "[a](https://github.com/acme/volley/blob/v1.2.3/docs/a.md#b) [c](https://c.example) [d](#d) " +
      "![e](https://raw.githubusercontent.com/acme/volley/v1.2.3/docs/e.svg) " +
      '<img src="https://raw.githubusercontent.com/acme/volley/v1.2.3/docs/f.png"> acme',
  );
});

test("the address of the repository is read from the manifest, and everything else follows it", async () => {
  const manifest = await readFile("package.json", "utf8");
  const address = readAddress(manifest);
  expect(JSON.parse(manifest)).toMatchObject({ homepage: `${address}#readme`, bugs: `${address}/issues` });
});
