import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, TestCaller } from "../support/test-caller.ts";

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const { upstream, volley, caller } = await setUpSandbox({ VOLLEY_WEBHOOK_SECRET: SECRET });
const model = new TestCaller(volley.url, "sandbox-model-key");

let asks = 0;

/** Ask about a deletion, and what follows it. */
async function ask(fields: object = {}, id = `lamp-${(asks += 1)}`): Promise<string> {
  const { results } = await model.execute(
    [
      { id: "gone", tool: "probe-delete", args: { id } },
      { id: "tell", tool: "probe-write", args: { n: 1 }, depends_on: ["gone"] },
    ],
    fields,
  );
  return results[0]!.confirmation!.id;
}

interface Shown {
  readonly status: string;
  readonly args_hash: string;
  readonly decided_by?: object;
  readonly reason?: string;
  readonly edited?: boolean;
  readonly callback?: { readonly status: string };
  readonly actions: readonly Readonly<Record<string, unknown>>[];
}

const show = async (id: string): Promise<Shown> =>
  JSON.parse((await caller.get(`/v1/confirmations/${id}`)).text) as Shown;
const decide = (id: string, body: object): Promise<RawAnswer> =>
  caller.send({ path: `/v1/confirmations/${id}`, body: JSON.stringify(body) });
const envelopeOf = ({ text }: RawAnswer): WireEnvelope => JSON.parse(text) as WireEnvelope;

/** Make a link of a question; its path. */
async function linkTo(id: string, fields: object = {}): Promise<string> {
  const answer = await caller.send({
    path: `/v1/confirmations/${id}/link`,
    body: JSON.stringify({ name: "Ada", ...fields }),
  });
  expect(answer.status, answer.text).toBe(200);
  return new URL((JSON.parse(answer.text) as { url: string }).url).pathname;
}

/** A browser without a key. */
const open = (path: string): Promise<RawAnswer> =>
  caller.send({ method: "GET", path, headers: { authorization: undefined } });

/** The fields of the form on a page, as a browser would send them. */
function fieldsOf(page: string): Record<string, string> {
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(hidden.map(([, name, value]) => [name!, value!]));
}

const submit = (path: string, fields: Record<string, string>, headers: object = {}): Promise<RawAnswer> =>
  caller.send({
    path,
    headers: {
      authorization: undefined,
      "content-type": "application/x-www-form-urlencoded",
      "sec-fetch-site": "same-origin",
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });

describe("A link of a question", () => {
  test("T50 shows what would run, and decides nothing however often it is opened", async () => {
    const id = await ask();
    const path = await linkTo(id);
    const pages = [await open(path), await open(path), await open(path)];
    for (const page of pages) {
      expect(page.status).toBe(200);
      expect(page.text).toContain("probe-delete");
      expect(page.text).toContain(`lamp-${asks}`);
      expect(page.text).toContain("You decide as <b><bdi>Ada</bdi></b>");
      expect(page.text).toMatch(/Then: tell/);
    }
    expect(await show(id)).toMatchObject({ status: "pending" });
    expect(upstream.requestsTo("/item")).toEqual([]);
  });

  test("T40 answers pages without a script that no page may frame, and whose address goes nowhere", async () => {
    const { headers, text } = await open(await linkTo(await ask()));
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["cache-control"]).toBe("no-store");
    const policy = String(headers["content-security-policy"]);
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
    expect(policy).toContain(Buffer.from(digest).toString("base64"));
    expect(text).not.toMatch(/<script|<img|<link|javascript:|https?:/i);
  });

  test("T41 shows what hides as escapes, and what is markup as text", async () => {
    const id = await ask({}, 'a\u202eb\u200bc</pre><script>alert("x")</script>');
    const { text } = await open(await linkTo(id));
    expect(text).toContain("a\\u202eb\\u200bc&lt;/pre&gt;&lt;script&gt;");
    expect(text).not.toMatch(/[\u202e\u200b]/);
    expect(text).not.toContain("<script");
  });

  test("takes one yes from its own form, under its name, and then says that it was used", async () => {
    const id = await ask();
    const path = await linkTo(id);
    const fields = fieldsOf((await open(path)).text);
    const done = await submit(path, { ...fields, decision: "approve", reason: "Fine" });
    expect(done.status).toBe(200);
    expect(done.text).toContain("You said yes");
    expect(await show(id)).toMatchObject({
      status: "done",
      decided_by: { name: "Ada", via: "link" },
      reason: "Fine",
    });
    expect(
      upstream.requestsTo("/item").filter(({ query }) => query.get("id") === `lamp-${asks}`),
    ).toHaveLength(1);
    for (const again of [await open(path), await submit(path, { ...fields, decision: "reject" })]) {
      expect(again.status).toBe(410);
      expect(again.text).toContain("Ada said yes");
    }
    expect(await show(id)).toMatchObject({ status: "done" });
  });

  test("takes a no, whose reason the model is told", async () => {
    const id = await ask();
    const path = await linkTo(id);
    const fields = fieldsOf((await open(path)).text);
    expect((await submit(path, { ...fields, decision: "reject", reason: "Not that one" })).text).toContain(
      "You said no",
    );
    const answer = JSON.parse((await model.get(`/v1/confirmations/${id}`)).text) as {
      results: { error: { code: string; hint: string } }[];
    };
    expect(answer.results[0]!.error).toMatchObject({ code: "CONFIRMATION_REJECTED" });
    expect(answer.results[0]!.error.hint).toContain('in the person\'s words: "Not that one".');
  });

  test("T50 refuses a form that does not come from its page, and one for what was not shown", async () => {
    const id = await ask();
    const path = await linkTo(id);
    const fields = { ...fieldsOf((await open(path)).text), decision: "approve" };
    const refused = [
      await submit(path, { ...fields, form: "" }),
      await submit(path, { ...fields, form: "0".repeat(64) }),
      await submit(path, fields, { "sec-fetch-site": "cross-site" }),
      await submit(path, fields, { "content-type": "text/plain" }),
      await submit(path, { ...fields, args_hash: "0".repeat(64) }),
      await submit(path, { ...fields, decision: "" }),
      await submit(path, { ...fields, reason: "x".repeat(501) }),
      await submit(path, { ...fields, reason: "x".repeat(300_000) }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 409, 422, 422, 413]);
    for (const { text } of refused) expect(text).toContain("A yes is needed");
    expect(await show(id)).toMatchObject({ status: "pending" });
  });

  test("that is unknown, another tenant's or cut off is a page that says so", async () => {
    const path = await linkTo(await ask());
    const token = path.split("/").at(-1)!;
    for (const wrong of [
      `/approvals/sandbox/${"A".repeat(43)}`,
      `/approvals/other/${token}`,
      path.slice(0, -1),
    ]) {
      const page = await open(wrong);
      expect(page.status).toBe(404);
      expect(page.text).toContain("There is no such link");
    }
  });

  test("is over when the question is decided by somebody else, and when its own time is", async () => {
    const id = await ask();
    const [path, short] = [await linkTo(id), await linkTo(id, { expires_in_s: 1 })];
    await eventually("the short one to end", async () =>
      (await open(short)).status === 410 ? true : undefined,
    );
    expect((await open(path)).status).toBe(200);
    await decide(id, { decision: "reject" });
    const page = await open(path);
    expect(page.status).toBe(410);
    expect(page.text).toContain("It was decided already");
    expect(page.text).toContain("sandbox said no");
  });

  test("with 'edit' takes other arguments, held to the schema, and keeps what was asked beside them", async () => {
    const id = await ask();
    const path = await linkTo(id, { edit: true });
    const page = await open(path);
    expect(page.text).toContain('name="args.0"');
    const fields = { ...fieldsOf(page.text), decision: "approve", "args.1": '{"n": 1}' };
    const wrong = await submit(path, { ...fields, "args.0": '{"id": [7]}' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain("/args/gone/id must be a string");
    expect((await submit(path, { ...fields, "args.0": "{" })).status).toBe(422);
    const done = await submit(path, { ...fields, "args.0": '{ "id": "lamp-other" }' });
    expect(done.text).toContain("You said yes");
    const shown = await show(id);
    expect(shown).toMatchObject({ status: "done", edited: true });
    expect(shown.actions[0]).toMatchObject({
      args: { id: `lamp-${asks}` },
      edited_args: { id: "lamp-other" },
    });
    expect(shown.actions[1]).not.toHaveProperty("edited_args");
    expect(upstream.requestsTo("/item").filter(({ query }) => query.get("id") === "lamp-other")).toHaveLength(
      1,
    );
  });

  test("shows what was typed again where it is refused, with its path, and a yes to it runs once it fits", async () => {
    const path = await linkTo(await ask(), { edit: true });
    const fields = { ...fieldsOf((await open(path)).text), decision: "approve", reason: "a <typo>" };
    const typed = '{\r\n\t"id": [7],\r\n "note": "</textarea>\u202e"}';
    const wrong = await submit(path, { ...fields, "args.0": typed });
    expect(wrong.text).toContain("/args/gone");
    expect(wrong.text, "as it was typed, but for what hides").toContain(
      "{\n  &quot;id&quot;: [7],\n &quot;note&quot;: &quot;&lt;/textarea&gt;\\u202e&quot;}</textarea>",
    );
    expect(wrong.text).toContain("a &lt;typo&gt;</textarea>");
    const broken = await submit(path, { ...fields, "args.0": '{"id": "lamp' });
    expect(broken.text).toMatch(
      /The arguments of &#39;gone&#39; are no JSON object\. The JSON goes wrong at line 1, column 13: .* Nothing ran\./,
    );
    expect(broken.text).toContain("{&quot;id&quot;: &quot;lamp</textarea>");
    expect((await open(path)).text, "and not to who opens it anew").not.toContain("typo");
    const done = await submit(path, {
      ...fieldsOf(broken.text),
      decision: "approve",
      "args.0": '{"id":"lamp-typed"}',
    });
    expect(done.text).toContain("You said yes");
    expect(upstream.requestsTo("/item").filter(({ query }) => query.get("id") === "lamp-typed")).toHaveLength(
      1,
    );
  });

  test("T50 shows no arguments that another page sends, nor any without 'edit'", async () => {
    const id = await ask();
    const sneaked = { decision: "approve", "args.0": '{"sneaked": 1}', reason: "sneaked" };
    const editable = await linkTo(id, { edit: true });
    const foreign = await submit(editable, sneaked);
    expect(foreign.status).toBe(403);
    expect(foreign.text).not.toContain("sneaked");
    const fixed = await linkTo(id);
    const fields = fieldsOf((await open(fixed)).text);
    const refused = await submit(fixed, { ...fields, ...sneaked, reason: "x".repeat(10_000) });
    expect(refused.status).toBe(422);
    expect(refused.text).not.toContain("sneaked");
    const other = await submit(editable, {
      ...fieldsOf((await open(editable)).text),
      ...sneaked,
      args_hash: "0",
    });
    expect(other.status).toBe(409);
    expect(other.text, "of a page that showed another question").not.toContain("sneaked");
  });

  test("takes a no whatever stands in the fields of the arguments", async () => {
    const id = await ask();
    const path = await linkTo(id, { edit: true });
    const fields = fieldsOf((await open(path)).text);
    const said = await submit(path, { ...fields, decision: "reject", "args.0": "{", "args.1": '{"n": 2}' });
    expect(said.text).toContain("You said no");
    expect(await show(id)).toMatchObject({ status: "rejected" });
  });

  test("without 'edit' changes nothing that is sent along", async () => {
    const id = await ask();
    const path = await linkTo(id);
    const page = await open(path);
    expect(page.text).not.toContain('name="args.');
    await submit(path, { ...fieldsOf(page.text), decision: "approve", "args.0": '{"id": "sneaked"}' });
    expect(upstream.requestsTo("/item").filter(({ query }) => query.get("id") === "sneaked")).toEqual([]);
  });

  test("T50 takes a key with 'approve', a name that can be seen, and a question that waits", async () => {
    const id = await ask();
    const path = `/v1/confirmations/${id}/link`;
    const make = (by: TestCaller, body: object) => by.send({ path, body: JSON.stringify(body) });
    expect(problemOf(await make(model, { name: "Ada" })).code).toBe("FORBIDDEN");
    for (const body of [
      {},
      { name: "" },
      { name: " " },
      { name: "A\u202eda" },
      { name: "A", expires_in_s: 604_801 },
    ])
      expect(problemOf(await make(caller, body)).code).toBe("INVALID_REQUEST");
    for (let n = 0; n < 20; n += 1) expect((await make(caller, { name: `Ada ${n}` })).status).toBe(200);
    expect(problemOf(await make(caller, { name: "Ada" })).code).toBe("CONFIRMATION_INVALID");
    await decide(id, { decision: "reject" });
    expect(problemOf(await make(caller, { name: "Ada" })).code).toBe("CONFIRMATION_INVALID");
    const none = await caller.send({
      path: "/v1/confirmations/none/link",
      body: JSON.stringify({ name: "A" }),
    });
    expect(none.status).toBe(404);
  });
});

describe("A decision by a key", () => {
  test("has its name, its reason and other arguments, in the question and in the list", async () => {
    const id = await ask();
    const answer = await decide(id, {
      decision: "approve",
      reason: "The other lamp",
      args: { gone: { id: "lamp-edited" } },
    });
    expect(envelopeOf(answer).results.map(({ status }) => status)).toEqual(["success", "success"]);
    expect(await show(id)).toMatchObject({
      decided_by: { name: "sandbox", via: "key" },
      reason: "The other lamp",
      edited: true,
    });
    const listed = JSON.parse((await caller.get("/v1/confirmations?status=done&limit=1")).text) as {
      confirmations: object[];
    };
    expect(listed.confirmations[0]).toMatchObject({
      id,
      requested_by: { key: "model" },
      decided_by: { name: "sandbox", via: "key" },
      reason: "The other lamp",
    });
  });

  test("refuses arguments that do not fit, of no action, or with a no, and the question still waits", async () => {
    const id = await ask();
    for (const [body, path] of [
      [{ decision: "approve", args: { gone: { id: [7] } } }, "/args/gone/id"],
      [{ decision: "approve", args: { gone: { id: "x", more: 1 } } }, "/args/gone/more"],
      [{ decision: "approve", args: { nobody: {} } }, "/args/nobody"],
    ] as const) {
      const answer = await decide(id, body);
      expect(answer.status).toBe(422);
      expect(JSON.parse(answer.text)).toMatchObject({ code: "INVALID_REQUEST", path });
    }
    expect((await decide(id, { decision: "reject", args: { gone: { id: "x" } } })).status).toBe(422);
    expect(await show(id)).toMatchObject({ status: "pending" });
  });
});

describe("callback_url of a batch", () => {
  const eventsAt = (path: string) =>
    upstream
      .requestsTo(path)
      .map(({ body, headers }) => new Webhook(SECRET).verify(body, headers as Record<string, string>))
      .map((event) => event as { type: string; data: Record<string, unknown> });
  const told = (path: string) =>
    eventually(`an event at ${path}`, () => (eventsAt(path).length > 0 ? eventsAt(path) : undefined));

  test.each(["approve", "reject"])(
    "T23 is told of a question's '%s', with its results, once",
    async (decision) => {
      const path = `/told/${decision}`;
      upstream.script(path, (_, response) => void response.writeHead(204).end());
      const id = await ask({ callback_url: `${upstream.url}${path}` });
      const answer = envelopeOf(await decide(id, { decision, reason: "Because" }));
      const [event] = await told(path);
      expect(event).toMatchObject({
        type: "confirmation.decided",
        data: {
          confirmation_id: id,
          batch_id: expect.any(String),
          decision,
          decided_by: { name: "sandbox", via: "key" },
          reason: "Because",
          answer: { results: answer.results },
        },
      });
      await eventually("its delivery to be known", async () =>
        (await show(id)).callback?.status === "succeeded" ? true : undefined,
      );
      expect(eventsAt(path)).toHaveLength(1);
    },
  );

  test("that does not take the event is seen on the question, and the job on the list", async () => {
    const path = "/told/gone";
    upstream.script(path, (_, response) => void response.writeHead(410).end());
    const id = await ask({ callback_url: `${upstream.url}${path}` });
    await decide(id, { decision: "reject" });
    await eventually("the delivery to be dead", async () =>
      (await show(id)).callback?.status === "dead" ? true : undefined,
    );
    const job = JSON.parse((await caller.get(`/v1/jobs/${id}`)).text) as object;
    expect(job).toMatchObject({ tool: "confirmation.decided", status: "dead" });
    expect(JSON.stringify(job)).not.toContain(path);
    upstream.script(path, (_, response) => void response.writeHead(204).end());
    expect((await caller.send({ path: `/v1/jobs/${id}/redrive` })).status).toBe(200);
    await eventually("the delivery after a redrive", async () =>
      (await show(id)).callback?.status === "succeeded" ? true : undefined,
    );
  });

  test("T23 is taken from a flow's run as well: its question is told when it is decided, and its job when it ends", async () => {
    const path = "/told/flow";
    upstream.script(path, (_, response) => void response.writeHead(204).end());
    const admin = new TestCaller(volley.url, "sandbox-admin-key");
    const put = await admin.send({
      method: "PUT",
      path: "/v1/flows/clean-up",
      body: JSON.stringify({
        summary: "Delete a lamp",
        input_schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
        actions: [
          { id: "gone", tool: "probe-delete", args: { id: { $ref: "input#/id" } } },
          { id: "later", tool: "probe-background", args: { n: 1 } },
        ],
      }),
    });
    expect(put.status, put.text).toBe(201);
    const ran = await eventually("the flow", async () => {
      const answer = await admin.send({
        path: "/v1/flows/clean-up/run",
        body: JSON.stringify({ input: { id: "lamp" }, callback_url: `${upstream.url}${path}` }),
      });
      return answer.status === 200 ? answer : undefined;
    });
    const { batch_id, results } = envelopeOf(ran);
    const id = results[0]!.confirmation!.id;
    const job = (results[1] as unknown as { readonly job_id: string }).job_id;
    await admin.send({ path: `/v1/confirmations/${id}`, body: JSON.stringify({ decision: "approve" }) });
    const events = await eventually("both events", () =>
      eventsAt(path).length > 1 ? eventsAt(path) : undefined,
    );
    const byType = new Map(events.map(({ type, data }) => [type, data]));
    expect(byType.get("confirmation.decided")).toMatchObject({
      confirmation_id: id,
      batch_id,
      decision: "approve",
      answer: { results: [{ id: "gone", status: "success" }] },
    });
    expect(byType.get("job.succeeded")).toMatchObject({ job_id: job, batch_id });
    expect(events).toHaveLength(2);
  });
});
