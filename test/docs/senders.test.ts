import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import {
  SENDER_NAMES,
  writePart,
  writeSenderList,
  writeSenderPage,
  writeSenderTable,
} from "../../scripts/docs/sender-pages.ts";
import { PRESETS } from "../../src/features/flows/hooks/presets.ts";

const DOCS = new URL("../../docs/", import.meta.url);
const read = (file: string) => readFile(new URL(file, DOCS), "utf8");

test("every sender that is known by name has its page, and the pages are as npm run senders writes them", async () => {
  const known = Object.keys(PRESETS).filter((name) => name !== "standard-webhooks");
  expect(SENDER_NAMES.toSorted()).toEqual(known.toSorted());
  expect((await readdir(new URL("senders/", DOCS))).toSorted()).toEqual(
    known.map((name) => `${name}.md`).toSorted(),
  );
  for (const name of SENDER_NAMES)
    expect(await read(`senders/${name}.md`), "run: npm run senders").toBe(writeSenderPage(name));
  for (const [file, part] of [
    ["index.md", writeSenderList()],
    ["flows.md", writeSenderTable()],
  ] as const) {
    const page = await read(file);
    expect(writePart(page, part), "run: npm run senders").toBe(page);
  }
});
