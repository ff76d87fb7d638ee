import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

import { describe, expect, test } from "vitest";

import { hmac } from "../features/flows/hooks/sample-senders.ts";
import { eventually } from "../support/eventually.ts";
import { sendHook, triggerOf } from "../support/hook-sender.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const { volley } = await setUpSandbox();
const page = await readFile(new URL("../../docs/background.md", import.meta.url), "utf8");
const [begin, read] = [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, text]) => text!);
const [recorded, shown] = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(
  ([, text]) => JSON.parse(text!) as Record<string, unknown>,
);

interface Job {
  readonly status: string;
  readonly progress: object;
  readonly data?: unknown;
}

/** Run a command as a reader does, at this sandbox. */
async function run(command: string, JOB_ID = ""): Promise<string> {
  const here = command.replaceAll("http://127.0.0.1:8787", volley.url).replaceAll("JOB_ID", JOB_ID);
  return (await promisify(execFile)("bash", ["-c", here])).stdout;
}

async function ended(caller: TestCaller, id: string): Promise<Job> {
  return eventually("the end of the job", async () => {
    const job = JSON.parse((await caller.get(`/v1/jobs/${id}`)).text) as Job;
    return ["running", "retrying"].includes(job.status) ? undefined : job;
  });
}

test("the commands of docs/background.md do what the page says, in its order", async () => {
  const answer = await run(begin!);
  expect(answer).toMatch(/^HTTP\/1\.1 202 /);
  const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as Record<string, string>;
  expect(Object.keys(body)).toEqual(Object.keys(recorded!));
  expect(answer.toLowerCase()).toContain(`location: /v1/jobs/${body["job_id"]}`);
  const job = await ended(new TestCaller(volley.url, "sandbox-key"), body["job_id"]!);
  expect(Object.keys(job.progress)).toEqual(Object.keys(shown!["progress"] as object));
  expect(job).toMatchObject({ status: "succeeded", progress: { done: 3, failed: 0, total: 3 } });
  const { results, next_cursor: next } = JSON.parse(await run(read!, body["job_id"])) as {
    results: readonly { id: string; data: unknown[] }[];
    next_cursor: string | null;
  };
  expect(next).toBeNull();
  expect(results).toMatchObject([{ id: "all", data: [1, 2, 3].map((n) => ({ data: { n } })) }]);
});

describe("A run of a flow by a webhook", () => {
  test("takes a loop of 60 elements; the same flow asked for by a caller does not", async () => {
    const admin = new TestCaller(volley.url, "sandbox-admin-key");
    const flow = {
      summary: "Look at every line of an order",
      input_schema: { type: "object", properties: { lines: { type: "array" } }, required: ["lines"] },
      actions: [
        {
          id: "each",
          tool: "probe-echo",
          for_each: { $ref: "input#/lines" },
          args: { n: { $ref: "item#" } },
        },
      ],
      answer: { $ref: "each#" },
      triggers: { webhook: triggerOf(hmac) },
    };
    const kept = await admin.send({ method: "PUT", path: "/v1/flows/each_line", body: JSON.stringify(flow) });
    expect(kept.status, kept.text).toBe(201);
    const lines = Array.from({ length: 60 }, (_, n) => n);
    const taken = await sendHook(volley.url, "each_line", hmac, { body: JSON.stringify({ lines }) });
    expect(taken.status, taken.text).toBe(202);
    const { job_id: id } = JSON.parse(taken.text) as { job_id: string };
    const job = await ended(admin, id);
    expect(job).toMatchObject({
      status: "succeeded",
      data: lines.map((index) => ({ index, status: "success", data: { n: index } })),
    });
    const asked = await admin.send({
      path: "/v1/flows/each_line/run",
      body: JSON.stringify({ input: { lines } }),
    });
    expect(JSON.parse(asked.text)).toMatchObject({
      results: [{ status: "error", error: { code: "INVALID_ARGS" } }],
    });
  });
});
