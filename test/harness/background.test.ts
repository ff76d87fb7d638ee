import { Validator } from "@cfworker/json-schema";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";

import { readOperations } from "../support/api-document.ts";
import { eventually } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const { upstream, volley } = await setUpSandbox({ VOLLEY_WEBHOOK_SECRET: SECRET });

interface Job {
  readonly tool: string;
  readonly status: string;
  readonly progress?: { readonly done: number; readonly failed: number; readonly total: number };
}
interface Page {
  readonly results: readonly { readonly id: string; readonly status: string; readonly data?: unknown[] }[];
  readonly next_cursor: string | null;
}
interface Recorded {
  readonly run_id: string;
  readonly job_id: string;
}

const numbers = (count: number): readonly number[] => [...Array(count).keys()];
const over = (count: number) => ({ for_each: numbers(count), args: { n: { $ref: "item#" } } });

function send(path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  const own = { authorization: "Bearer sandbox-key", "content-type": "application/json", ...headers };
  return fetch(
    `${volley.url}${path}`,
    body === undefined ? { headers: own } : { method: "POST", headers: own, body: JSON.stringify(body) },
  );
}

async function begin(body: object, headers: Record<string, string> = {}): Promise<Recorded> {
  const answer = await send("/v1/execute_actions", body, headers);
  const text = await answer.text();
  expect(answer.status, text).toBe(202);
  return JSON.parse(text) as Recorded;
}

const jobOf = async (id: string): Promise<Job> => (await send(`/v1/jobs/${id}`)).json() as Promise<Job>;
const ended = (id: string): Promise<Job> =>
  eventually("the end of the batch", async () => {
    const job = await jobOf(id);
    return ["running", "retrying"].includes(job.status) ? undefined : job;
  });

describe("A batch in the background", () => {
  test("is answered by 202 with the ids of its run and its job, and where that is", async () => {
    const answer = await send("/v1/execute_actions", {
      background: true,
      actions: [{ tool: "probe-echo", args: { n: 1 } }],
    });
    expect(answer.status).toBe(202);
    const { run_id, job_id, ...more } = (await answer.json()) as Recorded;
    expect(more).toEqual({});
    expect(answer.headers.get("location")).toBe(`/v1/jobs/${job_id}`);
    expect(answer.headers.get("ratelimit")).toContain("requests");
    expect(await ended(job_id)).toMatchObject({
      tool: "execute_actions:sandbox",
      batch_id: run_id,
      key: "sandbox",
      status: "succeeded",
      progress: { done: 1, failed: 0, total: 1 },
    });
    const run = await eventually("the run", async () => {
      const found = await send(`/v1/runs/${run_id}`);
      return found.ok ? ((await found.json()) as object) : undefined;
    });
    expect(run).toMatchObject({ run_id, source: "background", job_id });
  });

  test("may be asked for by Prefer: respond-async", async () => {
    const body = { actions: [{ tool: "probe-echo", args: { n: 1 } }] };
    const answer = await send("/v1/execute_actions", body, { prefer: "respond-async, wait=10" });
    expect(answer.status).toBe(202);
    expect(answer.headers.get("preference-applied")).toBe("respond-async");
    const plan = await send("/v1/execute_actions", { ...body, dry_run: true }, { prefer: "respond-async" });
    expect(plan.status).toBe(200);
    expect(plan.headers.get("preference-applied")).toBeNull();
  });

  test("is the same job for the same request under its key, and a conflict for another", async () => {
    const body = { background: true, actions: [{ tool: "probe-echo", args: { n: 5 } }] };
    const headers = { "idempotency-key": "background-once" };
    const first = await begin(body, headers);
    expect(await begin(body, headers)).toEqual(first);
    const other = await send("/v1/execute_actions", { ...body, tags: ["x"] }, headers);
    expect(other.status).toBe(422);
  });

  test("has the results of a long loop on several pages", async () => {
    const { job_id } = await begin({
      background: true,
      actions: [
        { id: "all", tool: "probe-echo", ...over(250) },
        { id: "one", tool: "probe-echo", args: { n: 7 } },
      ],
    });
    expect(await ended(job_id)).toMatchObject({ progress: { done: 251, failed: 0, total: 251 } });
    const found: unknown[] = [];
    const ids: string[][] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const asked: string = cursor === "" ? "" : `?cursor=${cursor}`;
      const page = (await (await send(`/v1/jobs/${job_id}/results${asked}`)).json()) as Page;
      ids.push(page.results.map(({ id }) => id));
      for (const { id, status, data } of page.results) {
        expect(status).toBe("success");
        if (id === "all") found.push(...data!);
      }
      cursor = page.next_cursor;
    }
    expect(ids).toEqual([["all"], ["all"], ["all", "one"]]);
    const wrong = await send(`/v1/jobs/${job_id}/results?cursor=zzz`);
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ code: "INVALID_QUERY", path: "cursor", received: "zzz" });
    expect(found).toMatchObject(
      numbers(250).map((index) => ({ index, status: "success", data: { n: index } })),
    );
  });

  test("records the jobs of its actions beside its own, wherever they stand", async () => {
    const before = upstream.requestsTo("/background").length;
    const { job_id } = await begin({
      background: true,
      actions: [1, 2].map((n) => ({ id: `job${n}`, tool: "probe-background", args: { n } })),
    });
    expect(await ended(job_id)).toMatchObject({ tool: "execute_actions:sandbox", status: "succeeded" });
    const { results } = (await (await send(`/v1/jobs/${job_id}/results`)).json()) as {
      readonly results: readonly { readonly job_id: string }[];
    };
    const ids = results.map((result) => result.job_id);
    expect(new Set([job_id, ...ids]).size).toBe(3);
    for (const id of ids)
      expect(await ended(id)).toMatchObject({ tool: "probe-background", status: "succeeded" });
    expect(upstream.requestsTo("/background")).toHaveLength(before + 2);
  });

  test("is cancelled between elements", async () => {
    const { job_id } = await begin({ background: true, actions: [{ tool: "probe-write", ...over(1_000) }] });
    await eventually("some writes", async () => ((await jobOf(job_id)).progress?.done ?? 0) > 3 || undefined);
    expect((await send(`/v1/jobs/${job_id}/cancel`, {})).status).toBe(200);
    const { status, progress } = await jobOf(job_id);
    expect(status).toBe("cancelled");
    expect(progress!.done).toBeLessThan(1_000);
    // Nothing goes on any more, and each element says what became of it.
    const entries: { readonly status: string; readonly error?: { readonly code: string } }[] = [];
    for (let cursor: string | null = "0.-1"; cursor !== null;) {
      const page = (await (await send(`/v1/jobs/${job_id}/results?cursor=${cursor}`)).json()) as Page;
      expect(page.results).toMatchObject([{ tool: "probe-write" }]);
      entries.push(...(page.results[0]!.data as typeof entries));
      cursor = page.next_cursor;
    }
    expect(entries).toHaveLength(1_000);
    const done = entries.filter((entry) => entry.status === "success").length;
    expect(done).toBeGreaterThan(3);
    expect(entries.slice(done + 1)).toEqual(
      Array(999 - done).fill(
        expect.objectContaining({ status: "error", error: expect.objectContaining({ code: "CANCELLED" }) }),
      ),
    );
  });

  test("tells the address of its callback_url by a signed event", async () => {
    upstream.script("/told", (_, response) => void response.writeHead(204).end());
    const { job_id } = await begin({
      background: true,
      callback_url: `${upstream.url}/told`,
      actions: [{ tool: "probe-echo", args: { n: 1 } }],
    });
    const [request] = await eventually("the event", () => {
      const seen = upstream.requestsTo("/told");
      return seen.length > 0 ? seen : undefined;
    });
    const event = new Webhook(SECRET).verify(request!.body, request!.headers as Record<string, string>);
    expect(event).toMatchObject({ type: "job.succeeded", data: { job_id } });
  });

  test("T03 is not there for a key that may not call every tool and has not sent it", async () => {
    const { job_id } = await begin({ background: true, actions: [{ tool: "probe-echo", args: { n: 1 } }] });
    for (const key of ["sandbox-small-key", "sandbox-other-key"])
      for (const path of [`/v1/jobs/${job_id}`, `/v1/jobs/${job_id}/results`])
        expect((await send(path, undefined, { authorization: `Bearer ${key}` })).status).toBe(404);
  });

  test.each([
    [{ max_tokens: 100 }, "/max_tokens"],
    [{ deadline_ms: 900_001 }, "/deadline_ms"],
    [
      { actions: [{ tool: "probe-write", args: { n: 1 }, idempotency_key: "k" }] },
      "/actions/0/idempotency_key",
    ],
  ])("is refused with %j", async (more, path) => {
    const body = { background: true, actions: [{ tool: "probe-echo", args: { n: 1 } }], ...more };
    const answer = await send("/v1/execute_actions", body);
    expect(answer.status).toBe(422);
    const problem = (await answer.json()) as { detail: string };
    expect(problem).toMatchObject({ code: "INVALID_BATCH", path, expected: expect.any(String) });
    expect(problem.detail).toContain(path.split("/").at(-1));
  });

  test("is described by the document as it is answered", async () => {
    const operations = readOperations(await (await send("/openapi.json")).text());
    const find = (id: string) => operations.find(({ operationId }) => operationId === id)!;
    const { parameters, responses } = find("executeActions");
    expect(parameters).toContainEqual(expect.objectContaining({ name: "Prefer", in: "header" }));
    const { headers, content } = responses["202"]!;
    expect(Object.keys(headers!)).toEqual(expect.arrayContaining(["Location", "Preference-Applied"]));
    const answer = await begin({ background: true, actions: [{ tool: "probe-echo", args: { n: 1 } }] });
    const { schema } = content!["application/json"]!;
    expect(new Validator(schema, "2020-12").validate(answer).valid).toBe(true);
    expect(new Validator(schema, "2020-12").validate({ run_id: "r" }).valid).toBe(false);
    const pages = find("listJobResults");
    expect(pages).toMatchObject({ method: "GET", path: "/v1/jobs/{id}/results" });
    expect(pages.parameters?.map(({ name }) => name)).toEqual(["id", "cursor"]);
    await ended(answer.job_id);
    const page: unknown = await (await send(`/v1/jobs/${answer.job_id}/results`)).json();
    const described = pages.responses["200"]!.content!["application/json"]!.schema;
    expect(new Validator(described, "2020-12").validate(page)).toMatchObject({ valid: true });
  });

  test("is what the hint of a longer loop and of a longer deadline says", async () => {
    const long = await send("/v1/execute_actions", { actions: [{ tool: "probe-echo", ...over(26) }] });
    expect(await long.text()).toContain('With \\"background\\": true');
    const late = await send("/v1/execute_actions", {
      deadline_ms: 60_001,
      actions: [{ tool: "probe-echo", args: { n: 1 } }],
    });
    expect(await late.text()).toContain('with \\"background\\": true');
  });
});
