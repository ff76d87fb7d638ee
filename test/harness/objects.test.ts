import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { startRawSandbox, startSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, TestCaller } from "../support/test-caller.ts";

const { volley, caller } = await setUpSandbox({}, startSandbox);
const other = new TestCaller(volley.url, "sandbox-other-key");

interface Kept {
  readonly object: string;
  readonly content_type: string;
  readonly bytes: number;
  readonly url: string;
}

async function report(by = caller): Promise<Kept> {
  const { results } = await by.execute([
    { tool: "csv_report", args: { source: "orders", columns: ["customer"] } },
  ]);
  expect(results[0]).toMatchObject({ status: "success" });
  return results[0]!.data as Kept;
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}, by = caller): Promise<RawAnswer> =>
  by.send({ method: "GET", path, headers });

const kept = await report();

describe("GET /v1/objects/{id}", () => {
  test("answers the object's bytes as a download of its type, which may not be sniffed or shared", async () => {
    const { status, headers, text } = await get(kept.url);
    expect(status).toBe(200);
    expect(text).toMatch(/^customer\r\nDelta Foods\r\n/);
    expect(text).toContain(`"'=HYPERLINK(""https://evil.example"",""Pay"")"\r\n`);
    expect(headers).toMatchObject({
      "content-type": kept.content_type,
      "content-length": String(kept.bytes),
      "content-disposition": `attachment; filename="${kept.object}"`,
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-cache",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      etag: expect.stringMatching(/^"[^"]+"$/),
      "x-request-id": expect.any(String),
      ratelimit: expect.stringContaining('"lists"'),
    });
    expect(Buffer.byteLength(text)).toBe(kept.bytes);
  });

  test("answers 304 without bytes to a client that has them already", async () => {
    const { etag } = (await get(kept.url)).headers;
    for (const tags of [etag!, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await get(kept.url, { "if-none-match": tags });
      expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, "", etag]);
    }
    expect((await get(kept.url, { "if-none-match": '"other"' })).status).toBe(200);
  });

  test("answers HEAD as GET, without the bytes", async () => {
    const { status, headers, text } = await caller.send({ method: "HEAD", path: kept.url });
    expect([status, text, headers["content-length"]]).toEqual([200, "", String(kept.bytes)]);
  });

  test("T03 answers another tenant what it answers about an object that is not there", async () => {
    const theirs = problemOf(await get(kept.url, {}, other));
    const nobodys = problemOf(await get("/v1/objects/00000000-0000-4000-8000-000000000000.csv", {}, other));
    expect(theirs).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect({ ...theirs, request_id: "" }).toEqual({ ...nobodys, request_id: "" });
    expect((await get((await report(other)).url, {}, other)).status).toBe(200);
  });

  test.each([
    (object: string) => `sandbox/${object}`,
    (object: string) => `sandbox%2F${object}`,
    (object: string) => `..%2Fsandbox%2F${object}`,
    (object: string) => `%2E%2E/sandbox/${object}`,
    (object: string) => `%2e%2e%2fsandbox%2f${object}`,
    (object: string) => `..%5Csandbox%5C${object}`,
    (object: string) => `%00${object}`,
    (object: string) => `${object}%0d%0aset-cookie:a=b`,
    () => "%",
    () => "%FF",
    () => "..",
    () => "a".repeat(5_000),
    () => "",
  ])("no name reaches out of the caller's own", async (path) => {
    const { status, headers } = await get(`/v1/objects/${path(kept.object)}`, {}, other);
    expect(status).toBe(404);
    expect(headers["set-cookie"]).toBeUndefined();
  });

  test("asks for a key, and answers no other method", async () => {
    expect((await get(kept.url, { authorization: "" })).status).toBe(401);
    expect((await caller.send({ method: "DELETE", path: kept.url })).status).toBe(405);
  });

  test("is 404 where nothing is kept, and says so to the operator", async () => {
    await using bare = await startRawSandbox();
    const answer = await get(kept.url, {}, new TestCaller(bare.url));
    expect(problemOf(answer)).toMatchObject({ status: 404, detail: expect.stringContaining("OBJECTS") });
  });
});

test("an image that was generated in the background is read where its job says", async () => {
  const { results } = await caller.execute([{ tool: "generate_image", args: { prompt: "A lighthouse" } }]);
  expect(results[0]).toMatchObject({ status: "initiated" });
  const job = await eventually("the job has succeeded", async () => {
    const { text } = await get(`/v1/jobs/${results[0]!.job_id}`);
    const job = JSON.parse(text) as { readonly status: string; readonly data?: Kept };
    return job.status === "succeeded" ? job : undefined;
  });
  const { status, headers } = await get(job.data!.url);
  expect([status, headers["content-type"]]).toEqual([200, "image/jpeg"]);
  expect(headers["content-length"]).toBe(String(job.data!.bytes));
});

test("a report that is asked for again under the same key is the same object", async () => {
  const ask = () =>
    caller.send({
      headers: { "idempotency-key": "report-1" },
      body: JSON.stringify({ actions: [{ tool: "csv_report", args: { source: "contacts" } }] }),
    });
  const [first, second] = [await ask(), await ask()];
  expect(second.headers["idempotency-replayed"]).toBe("true");
  expect(second.text).toBe(first.text);
});

test("/openapi.json describes the path", async () => {
  const { text } = await get("/openapi.json");
  const { paths } = JSON.parse(text) as { paths: Record<string, { get: { responses: object } }> };
  expect(Object.keys(paths["/v1/objects/{id}"]!.get.responses)).toEqual(
    expect.arrayContaining(["200", "304", "401", "404", "429"]),
  );
});
