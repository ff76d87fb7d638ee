import { describe, expect, test } from "vitest";

import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";

const keyEntry = async (key: string, entry: object): Promise<object> => ({
  name: key,
  hash: Buffer.from(await digestKey(key)).toString("hex"),
  tenant: "sandbox",
  tools: ["*"],
  quota: { limit: 1_000, window_s: 60 },
  ...entry,
});

const VOLLEY_KEYS = JSON.stringify(
  await Promise.all([
    keyEntry("sandbox-key", { flags: ["approve"] }),
    keyEntry("delete-key", { tools: ["probe-delete"] }),
    keyEntry("stranger-key", { tenant: "other" }),
    keyEntry("admin-key", { tenant: "admin", flags: ["manage_tools"] }),
  ]),
);

const { volley, caller } = await setUpSandbox({ VOLLEY_KEYS });
const as = (key: string): TestCaller => new TestCaller(volley.url, key);

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly url: string;
  readonly requested_by: object;
  readonly actions: readonly { readonly id: string; readonly tool: string; readonly gated: boolean }[];
}

interface Page {
  readonly confirmations: readonly Listed[];
  readonly next_cursor: string | null;
}

async function list(query = "", by = caller): Promise<Page> {
  const { status, text } = await by.get(`/v1/confirmations${query}`);
  if (status !== 200) throw new Error(`Refused: ${status} ${text}`);
  return JSON.parse(text) as Page;
}

const idsOf = ({ confirmations }: Page): readonly string[] => confirmations.map(({ id }) => id);
const urlOf = (id: string): string => `${new URL(volley.url).origin}/console#/confirmations/${id}`;

async function park(actions: readonly object[], by = caller): Promise<string> {
  const { results } = await by.execute(actions);
  return results.find(({ confirmation }) => confirmation !== undefined)!.confirmation!.id;
}
const remove = (id: string) => ({ id: "gone", tool: "probe-delete", args: { id } });
const WITH_MAIL = [remove("lamp"), { id: "tell", tool: "probe-write", args: { n: 1 }, depends_on: ["gone"] }];

describe("GET /v1/confirmations", () => {
  test("lists what waits, newest first, with what a yes would do, by whom and where it is asked", async () => {
    const first = await park(WITH_MAIL);
    const second = await park([remove("geheim")]);
    const page = await list("?status=waiting");
    expect(idsOf(page).slice(0, 2).toSorted()).toEqual([first, second].toSorted());
    expect(page.confirmations.find(({ id }) => id === first)).toEqual({
      id: first,
      status: "pending",
      created_at: expect.any(String),
      expires_at: expect.any(String),
      requested_by: { key: "sandbox-key", run_id: expect.any(String) },
      url: urlOf(first),
      actions: [
        { id: "gone", tool: "probe-delete", gated: true },
        { id: "tell", tool: "probe-write", gated: false },
      ],
      asks: [
        { id: "gone", tool: "probe-delete", args: '{"id":"lamp"}' },
        { id: "tell", tool: "probe-write", args: '{"n":1}' },
      ],
    });
    expect(page.next_cursor).toBeNull();
  });

  test("pages on from where the page before ended, whatever comes meanwhile", async () => {
    for (let n = 0; n < 3; n += 1) await park([remove(`page-${n}`)]);
    const all = idsOf(await list());
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list(`?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
      if (cursor === null) await park([remove("meanwhile")]);
      seen.push(...idsOf(page));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(all);
  });

  test("lists by status: what was decided waits no more", async () => {
    const id = await park([remove("decided")]);
    await caller.send({ path: `/v1/confirmations/${id}`, body: JSON.stringify({ decision: "reject" }) });
    expect(idsOf(await list("?status=waiting&limit=100"))).not.toContain(id);
    expect(idsOf(await list("?status=pending&limit=100"))).not.toContain(id);
    expect(idsOf(await list("?status=rejected"))).toContain(id);
  });

  test("shows a key only what it may decide, and another tenant's key nothing", async () => {
    const both = await park(WITH_MAIL);
    const own = await park([remove("own")]);
    const seen = idsOf(await list("?limit=100", as("delete-key")));
    expect(seen).toContain(own);
    expect(seen).not.toContain(both);
    expect((await as("delete-key").get(`/v1/confirmations/${both}`)).status).toBe(404);
    expect(await list("", as("stranger-key"))).toEqual({ confirmations: [], next_cursor: null });
  });

  test.each([
    ["status=over", "status"],
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["cursor=yesterday", "cursor"],
    ["tool=probe-delete", "tool"],
  ])("refuses '%s' by name", async (query, name) => {
    const problem = problemOf(await caller.get(`/v1/confirmations?${query}`));
    expect(problem).toMatchObject({ status: 400, code: "INVALID_QUERY" });
    expect(problem.detail).toContain(`${name}: expected`);
  });

  test("draws from the second allowance", async () => {
    expect((await caller.get("/v1/confirmations")).headers["ratelimit-policy"]).toContain("lists");
  });
});

describe("confirmation.url", () => {
  const expectUrl = (confirmation: unknown): void => {
    const { id, url } = confirmation as { readonly id: string; readonly url: string };
    expect(url).toBe(urlOf(id));
  };

  test("leads to the question in a batch, its repetition and GET", async () => {
    const request = {
      headers: { "idempotency-key": "asked-once" },
      body: JSON.stringify({ actions: [remove("once")] }),
    };
    const [first, again] = [await caller.send(request), await caller.send(request)];
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.text).toBe(first.text);
    const { confirmation } = (JSON.parse(first.text) as { results: { confirmation: { id: string } }[] })
      .results[0]!;
    expectUrl(confirmation);
    expectUrl(JSON.parse((await caller.get(`/v1/confirmations/${confirmation.id}`)).text));
  });

  test("is the one that was answered where an action's key is repeated", async () => {
    const action = { ...remove("keyed"), idempotency_key: "action-once" };
    const [first] = (await caller.execute([action])).results;
    const [again] = (await caller.execute([action, { tool: "probe-echo", args: { n: 1 } }])).results;
    expect(again!.confirmation).toEqual(first!.confirmation);
    expectUrl(again!.confirmation);
  });

  test("stands in the event stream", async () => {
    const { text } = await caller.send({
      headers: { accept: "text/event-stream" },
      body: JSON.stringify({ actions: [remove("streamed")] }),
    });
    const [, data] = /event: result\ndata: (.*)/.exec(text) ?? [];
    expectUrl((JSON.parse(data!) as { confirmation: unknown }).confirmation);
  });

  test("stands in the reply to a provider's call", async () => {
    const call = {
      id: "c1",
      type: "function",
      function: { name: "probe-delete", arguments: JSON.stringify({ id: "turn" }) },
    };
    const turn = { role: "assistant", content: null, tool_calls: [call] };
    const { text } = await caller.send({ path: "/v1/openai/tool_calls", body: JSON.stringify(turn) });
    expect(text).toContain(`${new URL(volley.url).origin}/console#/confirmations/`);
  });

  test("stands in the result of a tool over MCP", async () => {
    const { text } = await caller.send({
      path: "/mcp?surface=flat",
      headers: { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "probe-delete", arguments: { id: "mcp" } },
      }),
    });
    expect(text).toContain(`${new URL(volley.url).origin}/console#/confirmations/`);
  });

  test("leads to the question of a flow, called as a tool or run by itself", async () => {
    const admin = as("admin-key");
    const flow = {
      summary: "Delete one",
      input_schema: { type: "object", properties: {} },
      actions: [{ id: "d", tool: "probe-delete", args: { id: "f" } }],
    };
    const put = await admin.send({ method: "PUT", path: "/v1/flows/clean-up", body: JSON.stringify(flow) });
    expect([put.status, put.text]).toEqual([201, expect.any(String)]);
    const [called] = (await admin.execute([{ tool: "clean-up", args: {} }])).results;
    expectUrl(called!.confirmation);
    const run = await admin.send({ path: "/v1/flows/clean-up/run", body: JSON.stringify({ input: {} }) });
    const { results } = JSON.parse(run.text) as { results: { confirmation: unknown }[] };
    expectUrl(results[0]!.confirmation);
  });
});
