import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
import { eventually } from "../support/eventually.ts";
import type { WireEnvelope, WireResult } from "../support/execute-batch.ts";
import { postAndHold } from "../support/raw-client.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { sendForEvents } from "../support/send-for-events.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, TestCaller } from "../support/test-caller.ts";

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
    keyEntry("model-key", {}),
    keyEntry("trusted-key", { flags: ["skip_approval", "manage_tools", "manage_keys"] }),
    keyEntry("second-key", { flags: ["approve"] }),
    keyEntry("reads-only-key", { tools: ["probe-echo", "probe-search"], flags: ["approve"] }),
    keyEntry("slow-key", { quota: { limit: 1, window_s: 3_600 }, flags: ["approve"] }),
    keyEntry("stranger-key", { tenant: "other", flags: ["approve"] }),
    keyEntry("undecided-key", { tenant: "undecided", flags: ["skip_approval"] }),
  ]),
);

const { upstream, volley, caller } = await setUpSandbox({ VOLLEY_KEYS });
const as = (key: string): TestCaller => new TestCaller(volley.url, key);

/** A search, a deletion of what it found, a mail about that, and something else. */
const FOUR = [
  { id: "found", tool: "probe-search", args: { q: "lamp" } },
  { id: "gone", tool: "probe-delete", args: { id: { $ref: "found#/items/0/id" } } },
  {
    id: "tell",
    tool: "probe-write",
    args: { n: { $ref: "other#/n" } },
    depends_on: ["gone"],
  },
  { id: "other", tool: "probe-echo", args: { n: 2 } },
];

interface Shown {
  readonly status: string;
  readonly args_hash: string;
  readonly actions: readonly Readonly<Record<string, unknown>>[];
}

const pathOf = (id: string): string => `/v1/confirmations/${id}`;
const confirmationOf = (results: readonly WireResult[], id: string) =>
  results.find((result) => result.id === id)!.confirmation!;
const decide = (id: string, body: object, by = caller): Promise<RawAnswer> =>
  by.send({ path: pathOf(id), body: JSON.stringify(body) });
const approve = (id: string, by = caller): Promise<RawAnswer> => decide(id, { decision: "approve" }, by);
const envelopeOf = ({ status, text }: RawAnswer): WireEnvelope => {
  if (status !== 200) throw new Error(`Refused: ${status} ${text}`);
  return JSON.parse(text) as WireEnvelope;
};
const shownTo = async (by: TestCaller, id: string): Promise<Shown> =>
  JSON.parse((await by.get(pathOf(id))).text) as Shown;

const becomes = (by: TestCaller, id: string, status: string): Promise<true> =>
  eventually(`the confirmation to be ${status}`, async () =>
    (await shownTo(by, id)).status === status ? true : undefined,
  );

/** Park one deletion; its confirmation's id. */
async function park(by = caller, id: string | number = 7): Promise<string> {
  const { results } = await by.execute([{ id: "gone", tool: "probe-delete", args: { id } }]);
  return confirmationOf(results, "gone").id;
}

const deletions = (id: string | number): number =>
  upstream
    .requestsTo("/item")
    .filter(({ method, query }) => method === "DELETE" && query.get("id") === String(id)).length;

describe("An action that needs a person's yes", () => {
  test("is parked with what needs it, and the rest of the batch runs and is answered now", async () => {
    const before = upstream.requests.length;
    const { results, summary } = await caller.execute(FOUR);
    expect(results.map(({ id, status }) => [id, status])).toEqual([
      ["found", "success"],
      ["gone", "pending_confirmation"],
      ["tell", "pending_confirmation"],
      ["other", "success"],
    ]);
    expect(summary).toMatchObject({ total: 4, ok: 2, pending_confirmation: 2, error: 0 });
    expect(upstream.requests.length - before).toBe(2);

    const found = (results[0]!.data as { items: { id: string }[] }).items[0]!.id;
    const { id, expires_at, message } = confirmationOf(results, "gone");
    expect(message).toBe(
      `'probe-delete' with {"id":"${found}"} runs only after a person's yes. With it: 'tell' (probe-write).`,
    );
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(14 * 60_000);
    expect(confirmationOf(results, "tell")).toEqual({
      id,
      expires_at,
      message: "'probe-write' waits for a person's yes to 'gone' (probe-delete).",
      url: `${new URL(volley.url).origin}/console#/confirmations/${id}`,
    });

    expect(await shownTo(caller, id)).toEqual({
      id,
      status: "pending",
      created_at: expect.any(String),
      expires_at,
      requested_by: { key: "sandbox-key", run_id: expect.any(String) },
      url: `${new URL(volley.url).origin}/console#/confirmations/${id}`,
      actions: [
        {
          id: "gone",
          tool: "probe-delete",
          gated: true,
          args: { id: found },
          resolved: true,
          waits_for: [],
          followed_by: ["tell"],
        },
        {
          id: "tell",
          tool: "probe-write",
          gated: false,
          args: { n: { $ref: "other#/n" } },
          resolved: false,
          waits_for: ["gone"],
          followed_by: [],
        },
      ],
      args_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("runs when it is approved, from stored results: exactly what was parked, and nothing twice", async () => {
    const { results } = await caller.execute(FOUR);
    const { id } = confirmationOf(results, "gone");
    const before = upstream.requests.length;
    const { args_hash } = await shownTo(caller, id);
    const envelope = envelopeOf(await decide(id, { decision: "approve", args_hash }));
    expect(envelope.results.map(({ index, id, status }) => [index, id, status])).toEqual([
      [0, "gone", "success"],
      [1, "tell", "success"],
    ]);
    expect(envelope.summary).toMatchObject({ total: 2, ok: 2 });
    const sent = upstream.requests.slice(before);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(["DELETE /item", "POST /write"]);
    expect(sent[0]!.query.get("id")).toBe((results[0]!.data as { items: { id: string }[] }).items[0]!.id);
    expect(JSON.parse(sent[1]!.body)).toMatchObject({ n: 2 });

    await becomes(caller, id, "done");
    const again = problemOf(await approve(id));
    expect(again).toMatchObject({ status: 409, code: "CONFIRMATION_INVALID" });
    expect(again.detail).toMatch(/approved before and ran/);
    expect(upstream.requests.length - before).toBe(2);
  });

  test("runs nothing when it is rejected, and says so of each", async () => {
    const { results } = await caller.execute(FOUR);
    const { id } = confirmationOf(results, "gone");
    const before = upstream.requests.length;
    const envelope = envelopeOf(await decide(id, { decision: "reject" }));
    expect(envelope.results).toMatchObject([
      { index: 0, id: "gone", status: "error", error: { code: "CONFIRMATION_REJECTED", retryable: false } },
      { index: 1, id: "tell", status: "skipped", because: "gone", error: { code: "DEPENDENCY_FAILED" } },
    ]);
    expect(envelope.summary).toMatchObject({ total: 2, error: 1, skipped: 1 });
    expect((await shownTo(caller, id)).status).toBe("rejected");
    expect(problemOf(await approve(id)).detail).toMatch(/rejected before/);
    expect(upstream.requests).toHaveLength(before);
  });

  test("with wrong arguments fails now, and not after a person was asked", async () => {
    const { results } = await caller.execute([
      { id: "found", tool: "probe-search", args: { q: "lamp" } },
      { id: "gone", tool: "probe-delete", args: { id: { $ref: "found#/items" } } },
      { id: "tell", tool: "probe-echo", args: { n: 1 }, depends_on: ["gone"] },
    ]);
    expect(results).toMatchObject([
      { status: "success" },
      { status: "error", error: { code: "INVALID_ARGS" } },
      { status: "skipped", because: "gone" },
    ]);
  });

  test("is asked about where it is invoked by name: the document's own example", async () => {
    const { status, text } = await caller.send({
      path: "/v1/invoke_tool",
      body: JSON.stringify({ tool_name: "delete_calendar_event", parameters: { event_id: "abc123" } }),
    });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      tool: "delete_calendar_event",
      status: "pending_confirmation",
      confirmation: { message: expect.stringContaining('{"event_id":"abc123"}') },
    });
  });

  test("says so where no key of the tenant may decide, and only there", async () => {
    const gone = { id: "gone", tool: "probe-delete", args: { id: "nobody" } };
    const undecided = await as("undecided-key").execute([gone]);
    expect(confirmationOf(undecided.results, "gone").message).toMatch(
      /yes\. No key of this tenant in VOLLEY_KEYS may decide; its operator has to give one the flag 'approve'\.$/,
    );
    const decided = await as("model-key").execute([gone]);
    expect(confirmationOf(decided.results, "gone").message).toMatch(/yes\.$/);
  });

  test("is streamed like any other result", async () => {
    const { results } = await sendForEvents(`${volley.url}/v1/execute_actions`, { actions: FOUR });
    const statuses = (results as readonly WireResult[]).map(({ status }) => status);
    expect(statuses).toHaveLength(4);
    expect(statuses.slice(2)).toEqual(["pending_confirmation", "pending_confirmation"]);
  });

  test("is not run by the Orchestration API, and not left out of its answer", async () => {
    const before = upstream.requests.length;
    const { text } = await caller.send({
      path: "/api/orchestration/batch",
      body: JSON.stringify({ tools: [{ id: "1", toolName: "probe-delete", input: { id: 7 } }] }),
    });
    expect(text).toMatch(/"success":false,"error":"CONFIRMATION_INVALID: /);
    expect(upstream.requests).toHaveLength(before);
  });
});

describe("A decision", () => {
  test("T18 is made once: of fifty approvals at the same time one runs", async () => {
    const id = await park(caller, "fifty");
    const answers = await Promise.all(Array.from({ length: 50 }, () => approve(id)));
    const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length;
    expect([count(200), count(409)]).toEqual([1, 49]);
    expect(deletions("fifty")).toBe(1);
  });

  test("is made by any key of the tenant that may call the tools", async () => {
    const id = await park(caller, "second");
    expect(envelopeOf(await approve(id, as("second-key"))).results[0]!.status).toBe("success");
  });

  test.each(["model-key", "trusted-key"])(
    "T50 is not for a key without the flag 'approve', which may ask: %s",
    async (key) => {
      const id = await park(as(key), `asked-${key}`);
      const bodies = [{ decision: "approve" }, { decision: "reject" }, { decision: "maybe" }];
      for (const path of [pathOf(id), pathOf("00000000-0000-4000-8000-000000000000")]) {
        for (const body of bodies) {
          const headers = { "idempotency-key": `undecided-${key}` };
          const refused = problemOf(await as(key).send({ path, body: JSON.stringify(body), headers }));
          expect(refused).toMatchObject({ status: 403, code: "FORBIDDEN" });
          expect(refused.detail).toMatch(/'approve'/);
        }
      }
      expect((await shownTo(as(key), id)).status).toBe("pending");
      expect(deletions(`asked-${key}`)).toBe(0);
      expect(envelopeOf(await approve(id)).results[0]!.status).toBe("success");
    },
  );

  test("T50 has one door, one that makes links to it, one that ends them and one that forgets a yes: everything else that the document has of confirmations only looks", async () => {
    const { text } = await caller.get("/openapi.json");
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { tags?: string[] }>> };
    const doors = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { tags = [] }]) =>
        method !== "get" && (path.includes("confirmation") || tags.includes("Confirmations"))
          ? [`${method} ${path}`]
          : [],
      ),
    );
    expect(doors).toEqual([
      "post /v1/confirmations/{id}",
      "post /v1/confirmations/{id}/link",
      "delete /v1/confirmations/{id}/links",
      "delete /v1/remembered/{id}",
    ]);
  });

  test.each([
    ["another tenant's", "stranger-key"],
    ["that may not call a tool of it", "reads-only-key"],
  ])("T03 is not for a key %s: for that there is no such confirmation", async (_, key) => {
    const id = await park(caller, key);
    const madeUp = "00000000-0000-4000-8000-000000000000";
    const withoutId = ({ status, text }: RawAnswer): unknown => ({
      status,
      ...JSON.parse(text),
      request_id: "",
    });
    const look = withoutId(await as(key).get(pathOf(id)));
    expect(look).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect(withoutId(await approve(id, as(key)))).toEqual(look);
    expect(withoutId(await decide(id, { decision: "reject" }, as(key)))).toEqual(look);
    expect(withoutId(await as(key).get(pathOf(madeUp)))).toEqual(look);
    expect((await shownTo(caller, id)).status).toBe("pending");
    expect(deletions(key)).toBe(0);
  });

  test.each([
    ["yes", "approve", "done"],
    ["no", "reject", "rejected"],
  ])("that is a %s is shown with its results to a later reader", async (_, decision, status) => {
    const { results } = await caller.execute(FOUR);
    const { id } = confirmationOf(results, "gone");
    expect(await shownTo(caller, id)).not.toHaveProperty("results");
    const envelope = envelopeOf(await decide(id, { decision }));
    const shown = { ...(await shownTo(as("second-key"), id)) };
    expect(shown).toMatchObject({ status, results: envelope.results });
    expect(envelope.results).toHaveLength(2);
  });

  test.each(["approve", "reject"])(
    "to %s has the same answer again under its idempotency key",
    async (decision) => {
      const key = { "idempotency-key": `decided-${decision}` };
      const id = await park(caller, `again-${decision}`);
      const send = (body: object, headers: Record<string, string> = key, by = caller): Promise<RawAnswer> =>
        by.send({ path: pathOf(id), body: JSON.stringify(body), headers });
      const first = await send({ decision });
      expect(first.headers["idempotency-replayed"]).toBeUndefined();
      for (const by of [caller, as("second-key")]) {
        const again = await send({ decision }, { "idempotency-key": `"decided-${decision}"` }, by);
        expect([again.status, again.text]).toEqual([200, first.text]);
        expect(again.headers["idempotency-replayed"]).toBe("true");
      }
      const other = decision === "approve" ? "reject" : "approve";
      for (const late of [
        await send({ decision: other }),
        await send({ decision }, {}),
        await send({ decision }, { "idempotency-key": "another" }),
        await send({ decision, args_hash: "0".repeat(64) }),
      ])
        expect(problemOf(late)).toMatchObject({ status: 409, code: "CONFIRMATION_INVALID" });
      expect(problemOf(await send({ decision }, { "idempotency-key": "a,b" })).status).toBe(422);
      expect(problemOf(await send({ decision }, key, as("stranger-key"))).status).toBe(404);
      expect(deletions(`again-${decision}`)).toBe(decision === "approve" ? 1 : 0);
    },
  );

  test("is carried out and kept when its maker goes away", async () => {
    const [deleting, writing] = [upstream.hold("/item"), upstream.hold("/write")];
    const { results } = await caller.execute([
      { id: "gone", tool: "probe-delete", args: { id: "left" } },
      { id: "look", tool: "probe-echo", args: { n: 8 }, depends_on: ["gone"] },
    ]);
    const { id } = confirmationOf(results, "gone");
    const socket = await postAndHold(`${volley.url}${pathOf(id)}`, { decision: "approve" });
    await eventually("the deletion to be sent", async () => (deletions("left") === 1 ? true : undefined));
    socket.resetAndDestroy();
    deleting();
    writing();
    await becomes(caller, id, "done");
    expect(await shownTo(caller, id)).toMatchObject({
      results: [
        { id: "gone", status: "success" },
        { id: "look", status: "success" },
      ],
    });
  });

  test("T18 on other arguments than those that were shown is refused, and decides nothing", async () => {
    const id = await park(caller, "shown");
    const problem = problemOf(await decide(id, { decision: "approve", args_hash: "0".repeat(64) }));
    expect(problem).toMatchObject({ status: 409, code: "CONFIRMATION_INVALID" });
    expect(problem.detail).toMatch(/args_hash/);
    expect((await shownTo(caller, id)).status).toBe("pending");
  });

  test.each([
    ["nothing", {}, "/decision"],
    ["neither yes nor no", { decision: "maybe" }, "/decision"],
    ["a hash that is none", { decision: "approve", args_hash: "abc" }, "/args_hash"],
    ["a field that is not there", { decision: "approve", force: true }, "/force"],
  ])("that says %s is refused with the field", async (_, body, path) => {
    const id = await park();
    const answer = await decide(id, body);
    expect(problemOf(answer)).toMatchObject({ status: 422, code: "INVALID_REQUEST", path });
    expect(JSON.parse(answer.text)).toMatchObject({
      expected: expect.any(String),
      received: expect.any(String),
    });
    expect((await shownTo(caller, id)).status).toBe("pending");
  });

  test("is counted by the approver's quota, and waits where that is used up", async () => {
    const slow = as("slow-key");
    const id = await park(slow, "slow");
    const refused = await approve(id, slow);
    expect(problemOf(refused)).toMatchObject({ status: 429, code: "QUOTA_EXCEEDED" });
    expect((await shownTo(caller, id)).status).toBe("pending");
    const answer = await approve(id);
    expect(answer.headers["ratelimit"]).toMatch(/^"requests";r=\d+;t=\d+$/);
    expect(envelopeOf(answer).results[0]!.status).toBe("success");
  });

  test.each(["PUT", "DELETE"])("is a POST, not a %s", async (method) => {
    const answer = await caller.send({ method, path: pathOf("x") });
    expect(answer.headers["allow"]).toBe("GET, HEAD, POST");
    expect(answer.status).toBe(405);
  });
});

describe("skip_approval", () => {
  test("runs at once what needs a yes, for a key that may", async () => {
    const { results } = await as("trusted-key").execute(
      [{ id: "gone", tool: "probe-delete", args: { id: "skipped" } }],
      { skip_approval: true },
    );
    expect(results[0]!.status).toBe("success");
    expect(deletions("skipped")).toBe(1);
  });

  test("is not given to a key that may not: it is parked, and told so", async () => {
    const { results } = await caller.execute([{ id: "gone", tool: "probe-delete", args: { id: "denied" } }], {
      skip_approval: true,
    });
    expect(results[0]!.status).toBe("pending_confirmation");
    expect(results[0]!.confirmation!.message).toMatch(/This key may not skip approval\.$/);
    expect(deletions("denied")).toBe(0);
  });

  test("has to be asked for", async () => {
    const { results } = await as("trusted-key").execute([{ tool: "probe-delete", args: { id: 1 } }]);
    expect(results[0]!.status).toBe("pending_confirmation");
  });
});

describe("A confirmation", () => {
  test("T18 expires", async () => {
    await using hasty = await startRawSandbox({
      vars: { PROBE_ORIGIN: upstream.url, VOLLEY_CONFIRMATION_TTL_S: "1" },
    });
    const by = new TestCaller(hasty.url);
    const id = await park(by, "late");
    await becomes(by, id, "expired");
    for (const decision of ["approve", "reject"]) {
      const problem = problemOf(await decide(id, { decision }, by));
      expect(problem).toMatchObject({ status: 409, code: "CONFIRMATION_INVALID" });
      expect(problem.detail).toMatch(/expired/);
    }
    expect(deletions("late")).toBe(0);
  });

  describe("over a restart", () => {
    const directories: string[] = [];
    const newStorage = async (): Promise<string> => {
      const directory = await mkdtemp(join(tmpdir(), "volley-confirmations-"));
      directories.push(directory);
      return directory;
    };
    afterAll(() =>
      Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))),
    );

    test("T18 that changed a tool's declaration is refused", async () => {
      const storageDir = await newStorage();
      let id: string;
      {
        await using first = await startRawSandbox({ storageDir, vars: { PROBE_ORIGIN: upstream.url } });
        id = await park(new TestCaller(first.url), "moved");
      }
      // The tool now sends its requests elsewhere.
      await using second = await startRawSandbox({
        storageDir,
        vars: { PROBE_ORIGIN: "https://probe.sandbox.test" },
      });
      const by = new TestCaller(second.url);
      const problem = problemOf(await approve(id, by));
      expect(problem).toMatchObject({ status: 409, code: "CONFIRMATION_INVALID" });
      expect(problem.detail).toMatch(/declaration of 'probe-delete' has changed/);
      expect(envelopeOf(await decide(id, { decision: "reject" }, by)).results[0]!.status).toBe("error");
    });

    test("that killed an approved run never runs a second time", async () => {
      const storageDir = await newStorage();
      let id: string;
      {
        await using first = await startRawSandbox({ storageDir, vars: { PROBE_ORIGIN: upstream.url } });
        const by = new TestCaller(first.url);
        id = await park(by, "killed");
        upstream.script("/item", () => {});
        const lost = approve(id, by).catch(() => null);
        await eventually("the deletion to be sent", () => deletions("killed") || undefined);
        await first.kill();
        expect(await lost).toBeNull();
      }
      upstream.script("/item", (_, response) => void response.writeHead(200).end("{}"));
      await using second = await startRawSandbox({ storageDir, vars: { PROBE_ORIGIN: upstream.url } });
      const by = new TestCaller(second.url);
      const problem = problemOf(await approve(id, by));
      expect(problem.detail).toMatch(/may have happened, so it never runs a second time/);
      expect((await shownTo(by, id)).status).toBe("running");
      expect(deletions("killed")).toBe(1);
    });
  });
});
