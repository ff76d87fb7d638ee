import { expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { readZip } from "../support/read-zip.ts";
import { startSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { caller, volley } = await setUpSandbox({}, startSandbox);

test("calculator_evaluate calculates in an isolate of its own", async () => {
  const expressions = ["355/113", "sqrt(2)", "e^pi", "2^64", "0.1+0.2"];
  const { results } = await caller.execute(
    expressions.map((expression) => ({ tool: "calculator_evaluate", args: { expression } })),
  );
  expect(results.map((result) => result.data)).toEqual([
    { result: "3.14159292035398", value: 355 / 113 },
    { result: "1.4142135623731", value: Math.SQRT2 },
    { result: "23.1406926327793", value: expect.closeTo(Math.E ** Math.PI, 12) },
    { result: "18446744073709551616", value: 2 ** 64 },
    { result: "0.3", value: 0.3 },
  ]);
});

test("what cannot be calculated is refused with the reason, and the others are calculated", async () => {
  const { results } = await caller.execute(
    ["1/0", "9^9^9", "import('x')", "1+1"].map((expression) => ({
      tool: "calculator_evaluate",
      args: { expression },
    })),
  );
  expect(results.map(({ error, data }) => error?.code ?? data)).toEqual([
    "INVALID_ARGS",
    "INVALID_ARGS",
    "INVALID_ARGS",
    { result: "2", value: 2 },
  ]);
});

test("create_presentation makes a file in the background, which its tenant reads", async () => {
  const { results } = await caller.execute([
    {
      tool: "create_presentation",
      args: { title: "Talk", slides: [{ title: "One <slide>", bullets: ["point"], notes: "note" }] },
    },
  ]);
  expect(results[0]).toMatchObject({ status: "initiated" });
  const job = await eventually("the presentation", async () => {
    const { text } = await caller.get(`/v1/jobs/${results[0]!.job_id}`);
    const read = JSON.parse(text) as { status: string; data: { url: string; bytes: number } };
    return read.status === "succeeded" ? read : undefined;
  });
  const answer = await fetch(volley.url + job.data.url, { headers: { authorization: "Bearer sandbox-key" } });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(bytes.length).toBe(job.data.bytes);
  const files = readZip(bytes);
  expect(files.get("ppt/slides/slide1.xml")).toContain("One &lt;slide&gt;");
  expect(files.get("ppt/notesSlides/notesSlide1.xml")).toContain("note");
});
