import { describe, expect, test } from "vitest";

import { document } from "../../../src/features/document/index.ts";
import { createTestVolley, type TestVolley } from "../../../src/package/testing.ts";
import { notes } from "./index.ts";
import { trial } from "../../support/trial.ts";

// A feature that somebody else wrote: its folder imports `volley/feature` alone, and a Worker has it by a line of its list.

const open = (flags = ["keep_notes"]): Promise<TestVolley> =>
  createTestVolley({ tools: [], features: [document(), notes()], key: { flags } });

const post = (volley: TestVolley, body: object): Promise<Response> =>
  volley.fetch("/v1/notes", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("A feature of one's own", () => {
  test("answers its paths from rows in the tenant's object, and its jobs tell an object of its own", async () => {
    const volley = await open();
    const kept = await post(volley, { text: "Water the plants" });
    expect(kept.status).toBe(201);
    const { job_id: id } = (await kept.json()) as { job_id: string };
    await volley.advance(1_000);
    const job = await (await volley.fetch(`/v1/jobs/${id}`)).json();
    expect(job).toMatchObject({ tool: "count_words", status: "succeeded", data: { words: 3 } });
    volley.evict();
    expect(await (await volley.fetch("/v1/notes")).json()).toEqual({ notes: ["Water the plants"], words: 3 });
  });

  trial("refuses with a code of its own, and by its limits", async () => {
    const volley = await open();
    for (const text of ["a", "b", "c"]) expect((await post(volley, { text })).status).toBe(201);
    const full = await post(volley, { text: "d" });
    expect([full.status, await full.json()]).toEqual([
      409,
      expect.objectContaining({
        type: "urn:volley:problem:NOTES_FULL",
        code: "NOTES_FULL",
        title: "There is no room for another note.",
      }),
    ]);
    const wrong = await post(volley, { txt: "d" });
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining("txt")]);
  });

  test("has a flag: a key without it reads, and keeps nothing", async () => {
    const volley = await open([]);
    const refused = await post(volley, { text: "a" });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("keep_notes")]);
    expect((await volley.fetch("/v1/notes")).status).toBe(200);
  });

  trial("stands in the document, and a Worker beside it knows nothing of it", async () => {
    const of = async (volley: TestVolley): Promise<string> => (await volley.fetch("/openapi.json")).text();
    const own = await of(await open());
    const { paths, components } = JSON.parse(own) as {
      paths: { "/v1/notes": { post: { responses: object } } };
      components: { schemas: { Problem: { properties: { code: { enum: string[] } } } } };
    };
    expect(Object.keys(paths["/v1/notes"].post.responses)).toContain("409");
    expect(components.schemas.Problem.properties.code.enum).toContain("NOTES_FULL");
    const other = await of(await createTestVolley({ tools: [], features: [document()] }));
    expect(other).not.toMatch(/notes|NOTES_FULL/);
  });
});
