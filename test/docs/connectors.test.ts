import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import {
  CONNECTOR_NAMES,
  writeConnectorIndex,
  writeConnectorList,
  writeConnectorPage,
} from "../../scripts/docs/connector-pages.ts";
import { writePart } from "../../scripts/docs/sender-pages.ts";
import { PRESETS } from "../../src/features/connections/connectors/connector-presets.ts";

const FOLDER = new URL("../../docs/connectors/", import.meta.url);

test("every known connector has its page, and the pages are as npm run connectors writes them", async () => {
  expect(CONNECTOR_NAMES.toSorted()).toEqual(Object.keys(PRESETS).toSorted());
  const pages = [...CONNECTOR_NAMES, "index"].map((name) => `${name}.md`);
  expect((await readdir(FOLDER)).toSorted()).toEqual(pages.toSorted());
  for (const name of CONNECTOR_NAMES)
    expect(await readFile(new URL(`${name}.md`, FOLDER), "utf8"), "run: npm run connectors").toBe(
      writeConnectorPage(name),
    );
  expect(await readFile(new URL("index.md", FOLDER), "utf8"), "run: npm run connectors").toBe(
    writeConnectorIndex(),
  );
  const list = await readFile(new URL("../index.md", FOLDER), "utf8");
  expect(writePart(list, writeConnectorList(), "connectors"), "run: npm run connectors").toBe(list);
});
