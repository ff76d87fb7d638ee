import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCanaryFinder, findCanariesInFiles } from "./find-canaries.ts";

const find = createCanaryFinder(["canary-one-1234", "canary-two-5678"]);

test("createCanaryFinder() finds a secret as it is, and as others write it", () => {
  expect(find("nothing here")).toEqual([]);
  expect(find("x canary-two-5678 x")).toEqual([1]);
  expect(find(`{"a":"${Buffer.from("Bearer canary-one-1234!").toString("base64")}"}`)).toEqual([0]);
});

test("findCanariesInFiles() finds one between bytes that are no text", async () => {
  const directory = await mkdtemp(join(tmpdir(), "volley-canaries-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(
    join(directory, "a.sqlite"),
    Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from("canary-one-1234")]),
  );
  await writeFile(join(directory, "b.sqlite"), "clean");
  expect(await findCanariesInFiles(directory, find)).toEqual(["a.sqlite has secret 0"]);
});
