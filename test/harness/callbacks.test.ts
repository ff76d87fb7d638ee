import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import type { SeenRequest } from "../support/hostile-upstream.ts";

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const { upstream, caller } = await setUpSandbox({ VOLLEY_WEBHOOK_SECRET: SECRET });

interface WireJob {
  readonly job_id: string;
  readonly status: string;
  readonly callback?: {
    readonly status: string;
    readonly attempts: number;
    readonly last_status: number | null;
  };
}

interface WireEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: WireJob;
}

let paths = 0;
const newPath = (): string => `/hooks/${++paths}`;
const urlOf = (path: string): string => `${upstream.url}${path}?token=geheim`;

async function initiate(callbackUrl: string, args: object = { n: 1 }): Promise<string> {
  const { results } = await caller.execute([{ tool: "probe-background", args, callback_url: callbackUrl }]);
  expect(results[0], JSON.stringify(results)).toMatchObject({ status: "initiated" });
  return results[0]!.job_id!;
}

/** The event in a request, as the Standard Webhooks library reads it: it throws when the signature is not right. */
function eventOf({ body, headers }: SeenRequest): WireEvent {
  return new Webhook(SECRET).verify(body, headers as Record<string, string>) as WireEvent;
}

const jobWith = (id: string, status: string): Promise<WireJob> =>
  eventually(`a callback that is ${status}`, async () => {
    const job = JSON.parse((await caller.get(`/v1/jobs/${id}`)).text) as WireJob;
    return job.callback?.status === status ? job : undefined;
  });
const received = (path: string, count = 1): Promise<readonly SeenRequest[]> =>
  eventually(`${count} events`, () => {
    const requests = upstream.requestsTo(path);
    return requests.length >= count ? requests : undefined;
  });

describe("callback_url", () => {
  test("T23 is sent a signed event with the job's record when the job succeeded", async () => {
    const path = newPath();
    upstream.script(path, (_, response) => void response.writeHead(204).end());
    const id = await initiate(urlOf(path), { n: 7, d: 50 });

    const [request] = await received(path);
    expect(request!.query.get("token")).toBe("geheim");
    const { type, data } = eventOf(request!);
    expect(type).toBe("job.succeeded");
    expect(data).toMatchObject({ job_id: id, status: "succeeded", data: { path: "/background", n: 7 } });
    const job = await jobWith(id, "delivered");
    expect(job.callback).toEqual({
      status: "delivered",
      attempts: 1,
      last_status: 204,
      next_attempt_at: null,
    });
    expect(JSON.stringify(job)).not.toContain("geheim");
  });

  test("of a batch is sent one event for each job of it, besides those that an action's own address is sent", async () => {
    const [own, batch] = [newPath(), newPath()];
    for (const path of [own, batch])
      upstream.script(path, (_, response) => void response.writeHead(204).end());
    const { results } = await caller.execute(
      [
        { tool: "probe-background", args: { n: 1 }, callback_url: urlOf(own) },
        { tool: "probe-background", args: { n: 2 } },
      ],
      { callback_url: urlOf(batch) },
    );
    const ids = results.map(({ job_id }) => job_id!);

    const told = await received(batch, 2);
    expect(new Set(told.map((request) => eventOf(request).data.job_id))).toEqual(new Set(ids));
    expect((await received(own)).map((request) => eventOf(request).data.job_id)).toEqual([ids[0]]);
    await Promise.all(ids.map((id) => jobWith(id, "delivered")));
  });

  const actions = [{ tool: "probe-background", args: { n: 1 } }];
  const turn = (args: object) => ({
    path: "/v1/openai/tool_calls",
    body: JSON.stringify({
      tool_calls: ["c1", "c2"].map((id) => ({
        id,
        type: "function",
        function: {
          name: "execute_actions",
          arguments: JSON.stringify(id === "c1" ? args : { actions: [{ tool: "probe-echo" }] }),
        },
      })),
    }),
  });
  const mcp = (args: object) => ({
    path: "/mcp",
    headers: { accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "execute_actions", arguments: args },
    }),
  });

  test.each([
    ["a turn", turn],
    ["MCP", mcp],
  ])("of a batch that a model wrote in %s is told, or the model is", async (_, request) => {
    const path = newPath();
    upstream.script(path, (_request, response) => void response.writeHead(204).end());
    await caller.send(request({ actions, callback_url: urlOf(path) }));
    expect(eventOf((await received(path))[0]!).type).toBe("job.succeeded");

    const refused = await caller.send(request({ actions, callback_url: "http://10.0.0.1/hook" }));
    expect(refused.text).toContain("INVALID_BATCH");
    expect(refused.text).not.toContain("job_id");
  });

  test("of a batch that cannot be told is refused whole, and nothing ran", async () => {
    const answer = await caller.send({
      body: JSON.stringify({
        callback_url: "https://10.0.0.1/hook?token=geheim",
        actions: [{ tool: "probe-echo", args: { n: 87 } }],
      }),
    });
    expect(answer.status).toBe(422);
    expect(JSON.parse(answer.text)).toMatchObject({ code: "INVALID_BATCH" });
    expect(answer.text).toContain("callback_url");
    expect(answer.text).not.toContain("geheim");
  });

  test("is sent 'failed' when the upstream refuses, and 'cancelled' when somebody calls it off", async () => {
    const [failed, cancelled] = [newPath(), newPath()];
    for (const path of [failed, cancelled])
      upstream.script(path, (_, response) => void response.writeHead(200).end());
    await initiate(urlOf(failed), { n: 1, status: 422 });
    const answer = upstream.hold("/background", 2);
    const id = await initiate(urlOf(cancelled), { n: 2 });
    await caller.send({ path: `/v1/jobs/${id}/cancel` });
    answer();

    expect(eventOf((await received(failed))[0]!).type).toBe("job.failed");
    expect(eventOf((await received(cancelled))[0]!).data).toMatchObject({ job_id: id, status: "cancelled" });
  });

  test("is tried again under the same id, with a new timestamp, after 5 s", async () => {
    const path = newPath();
    upstream.script(path, (_, response) => {
      response.writeHead(upstream.requestsTo(path).length > 1 ? 200 : 503, { "retry-after": "1" }).end();
    });
    const id = await initiate(urlOf(path));

    const [first, second] = await received(path, 2);
    expect(second!.at - first!.at).toBeGreaterThan(4_900);
    expect(second!.headers["webhook-id"]).toBe(first!.headers["webhook-id"]);
    expect(second!.headers["webhook-timestamp"]).not.toBe(first!.headers["webhook-timestamp"]);
    expect(eventOf(second!).timestamp).toBe(eventOf(first!).timestamp);
    expect((await jobWith(id, "delivered")).callback).toMatchObject({ attempts: 2, last_status: 200 });
  });

  test("that answers 410 Gone is sent nothing more", async () => {
    const path = newPath();
    upstream.script(path, (_, response) => void response.writeHead(410).end());
    await jobWith(await initiate(urlOf(path)), "disabled");
    const job = await jobWith(await initiate(urlOf(path)), "disabled");

    expect(job.callback).toMatchObject({ attempts: 0, last_status: null });
    expect(upstream.requestsTo(path)).toHaveLength(1);
  });

  test("calls back for every element of a loop", async () => {
    const path = newPath();
    upstream.script(path, (_, response) => void response.writeHead(200).end());
    await caller.execute([
      {
        tool: "probe-background",
        for_each: [1, 2, 3],
        args: { n: { $ref: "item#" } },
        callback_url: urlOf(path),
      },
    ]);

    const events = (await received(path, 3)).map(eventOf);
    expect(new Set(events.map(({ data }) => data.job_id)).size).toBe(3);
  });

  test.each([
    ["probe-echo", "https://hooks.example.com/?geheim", "INVALID_ACTION"],
    ["probe-background", "geheim", "INVALID_ACTION"],
    ["probe-background", "https://192.168.0.1/geheim", "EGRESS_DENIED"],
    ["probe-background", "https://me:geheim@hooks.example.com/", "EGRESS_DENIED"],
  ])("T09 of %s, %s is refused in its place", async (tool, callback_url, code) => {
    const { results } = await caller.execute([{ tool, args: { n: 1 }, callback_url }]);
    expect(results[0]).toMatchObject({ status: "error", error: { code } });
    expect(JSON.stringify(results)).not.toContain("geheim");
  });
});
