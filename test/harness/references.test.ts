import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { WireEnvelope, WireResult } from "../support/execute-batch.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();
/** The requests that the upstream saw of `/read` and `/write`: `+path n` when a call came, `-path n` when it was answered. */
let seen: string[] = [];

for (const path of ["/read", "/write"]) {
  upstream.script(path, (query, response, _, { body }) => {
    const { n, status = 200 } = (body === "" ? Object.fromEntries(query) : JSON.parse(body)) as Record<
      string,
      unknown
    >;
    const call = `${path.slice(1)} ${String(n)}`;
    seen.push(`+${call}`);
    setTimeout(() => {
      seen.push(`-${call}`);
      response
        .writeHead(Number(status), { "content-type": "application/json" })
        .end(JSON.stringify({ n: Number(n) }));
    }, 50);
  });
}
upstream.script(
  "/items",
  (query, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        items: Array.from({ length: Number(query.get("count")) }, (_, n) => ({
          n,
          text: `Item ${n}: ${"the quick brown fox jumps over the lazy dog ".repeat(3)}`,
        })),
      }),
    ),
);

const search = { id: "found", tool: "probe-search", args: { q: "tea" } };
const items = (count: number): object => ({
  id: "many",
  tool: "probe-any",
  args: { path: `/items?count=${count}` },
});
const statuses = ({ results }: WireEnvelope): string[] =>
  results.map(({ status, error }) => error?.code ?? status);
const meta = (result: WireResult | undefined) => result!.meta as Readonly<Record<string, unknown>>;

describe("A reference", () => {
  test("does search and pick in one call, wherever they stand", async () => {
    const answer = await caller.execute([
      { tool: "probe-item", args: { id: { $ref: "found#/items/1/id" } } },
      search,
    ]);

    expect(statuses(answer)).toEqual(["success", "success"]);
    expect(answer.results[0]!.data).toEqual({ path: "/item", id: "tea-2", name: "Item tea-2" });
  });

  test("is made by the contract where a field is left out", async () => {
    const answer = await caller.execute([search, { tool: "probe-item" }]);

    expect(answer.results[1]!.data).toMatchObject({ id: "tea-1" });
  });

  test("is not guessed: a field that could come from two actions is asked for", async () => {
    const answer = await caller.execute([
      search,
      { id: "other", tool: "probe-search", args: { q: "salt" } },
      { tool: "probe-item" },
    ]);

    expect(statuses(answer)).toEqual(["success", "success", "BAD_REFERENCE"]);
    expect(answer.results[2]!.error!.hint).toContain("'found' or 'other'");
  });

  test("makes text of several values in a template", async () => {
    const answer = await caller.execute([
      search,
      {
        tool: "probe-search",
        args: { q: { $template: "{{found#/items/0/name}} or {{found#/items/2/id}}" } },
      },
    ]);

    expect(answer.results[1]!.data).toMatchObject({ items: [{ name: "tea 1 or tea-3 1" }, {}, {}] });
  });

  test("to nothing says what was there", async () => {
    const answer = await caller.execute([
      search,
      { tool: "probe-item", args: { id: { $ref: "found#/itmes/0/id" } } },
      { tool: "probe-item", args: { id: { $ref: "fund#/items/0/id" } } },
    ]);

    expect(statuses(answer)).toEqual(["success", "BAD_REFERENCE", "BAD_REFERENCE"]);
    expect(answer.results[1]!.error!.hint).toContain('"items"');
    expect(answer.results[2]!.error!.hint).toContain("'found'");
  });

  test("to what failed skips the action, and names who failed", async () => {
    const before = upstream.requestsTo("/item").length;
    const answer = await caller.execute([
      { id: "found", tool: "probe-any", args: { path: "/status/500" } },
      { id: "pick", tool: "probe-item", args: { id: { $ref: "found#/id" } } },
      { tool: "probe-item", args: { id: { $ref: "pick#/id" } } },
    ]);

    expect(answer.results.map(({ status, because }) => [status, because])).toEqual([
      ["error", undefined],
      ["skipped", "found"],
      ["skipped", "found"],
    ]);
    expect(upstream.requestsTo("/item")).toHaveLength(before);
  });

  test("gives a value that is checked like any other", async () => {
    const answer = await caller.execute([
      search,
      { tool: "probe-echo", args: { n: { $ref: "found#/items/0/id" } } },
    ]);

    expect(answer.results[1]).toMatchObject({
      status: "error",
      error: { code: "INVALID_ARGS", issues: [{ path: "/args/n", expected: "a number" }] },
    });
  });

  test("in a circle refuses the batch, and spells the circle out", async () => {
    const body = JSON.stringify({
      actions: [
        { id: "a", tool: "probe-item", args: { id: { $ref: "b#/id" } } },
        { id: "b", tool: "probe-item", args: { id: { $ref: "c#/id" } } },
        { id: "c", tool: "probe-echo", args: { n: 1 }, depends_on: ["a"] },
      ],
    });
    const answer = await caller.send({ body });

    expect(answer.status).toBe(422);
    const { code, detail } = problemOf(answer);
    expect(code).toBe("INVALID_BATCH");
    expect(detail).toMatch(/a → b → c → a|b → c → a → b|c → a → b → c/);
  });

  test("is followed the moment it can be, without waiting for the others", async () => {
    // Its sibling is answered once it has been sent itself.
    const answerSibling = upstream.hold("/echo", 600);
    const before = upstream.requestsTo("/item").length;
    const sent = eventually("the item to be asked for", () => upstream.requestsTo("/item")[before]);
    void sent.then(answerSibling, answerSibling);
    const answer = await caller.execute([
      search,
      { tool: "probe-echo", args: { n: 600 } },
      { id: "next", tool: "probe-item", args: { id: { $ref: "found#/items/0/id" } } },
    ]);

    expect(statuses(answer)).toEqual(["success", "success", "success"]);
  });
});

describe("for_each", () => {
  test("runs over what another action found, under the tool's cap", async () => {
    upstream.gather("/limited", 3);
    const answer = await caller.execute([
      items(10),
      {
        id: "loop",
        tool: "probe-limited",
        for_each: { $ref: "many#/items" },
        args: { n: { $ref: "item#/n" }, d: 40 },
      },
    ]);

    expect(answer.results[1]!.data).toEqual(
      Array.from({ length: 10 }, (_, n) => ({ index: n, status: "success", data: { path: "/limited", n } })),
    );
    expect(meta(answer.results[1])["items"]).toEqual({ total: 10, ok: 10, error: 0 });
    expect(upstream.requestsTo("/limited")).toHaveLength(10);
    expect(upstream.peakOf("/limited")).toBe(3);
  });

  test("over probe-search's items reads each of them", async () => {
    const answer = await caller.execute([
      { tool: "probe-item", for_each: { $ref: "found#/items" }, args: { id: { $ref: "item#/id" } } },
      search,
    ]);

    expect(answer.results[0]!.data).toMatchObject(
      ["tea-1", "tea-2", "tea-3"].map((id, index) => ({ index, status: "success", data: { id } })),
    );
  });

  test("of reads goes on after a failed element", async () => {
    const answer = await caller.execute([
      {
        tool: "probe-any",
        for_each: ["/echo?n=1", "/status/404", "/echo?n=3"],
        args: { path: { $ref: "item#" } },
      },
    ]);

    expect(answer.results[0]).toMatchObject({
      status: "success",
      data: [{ status: "success" }, { status: "error", error: { code: "NOT_FOUND" } }, { status: "success" }],
      meta: { items: { total: 3, ok: 2, error: 1 } },
    });
  });

  test("of writes runs one after another, and ends at a failed element", async () => {
    seen = [];
    const answer = await caller.execute([
      {
        tool: "probe-write",
        for_each: [
          { n: 1, status: 200 },
          { n: 2, status: 500 },
          { n: 3, status: 200 },
        ],
        args: { n: { $ref: "item#/n" }, status: { $ref: "item#/status" } },
      },
    ]);

    expect(seen).toEqual(["+write 1", "-write 1", "+write 2", "-write 2"]);
    expect(answer.results[0]).toMatchObject({
      status: "error",
      error: { code: "UPSTREAM_ERROR", hint: expect.stringContaining("Element 1 of 3") },
      meta: { items: { total: 3, ok: 1, error: 2 } },
    });
  });

  test("over nothing is a success with nothing, and over too much runs nothing", async () => {
    const before = upstream.requestsTo("/echo").length;
    const loop = { tool: "probe-echo", for_each: { $ref: "many#/items" }, args: { n: { $ref: "item#/n" } } };
    const none = await caller.execute([items(0), loop]);
    expect(none.results[1]).toMatchObject({
      status: "success",
      data: [],
      meta: { items: { total: 0, ok: 0, error: 0 } },
    });
    const many = await caller.execute([items(26), loop]);
    expect(statuses(many)).toEqual(["success", "INVALID_ARGS"]);
    expect(upstream.requestsTo("/echo")).toHaveLength(before);
  });
});

describe("select", () => {
  test("shows only what was selected, names what was missing, and hides nothing from references", async () => {
    const answer = await caller.execute([
      { ...search, select: ["/items/0/id", "/next", "/items/7/id"] },
      { tool: "probe-item", args: { id: { $ref: "found#/items/2/id" } } },
    ]);

    expect(answer.results[0]!.data).toEqual({ items: [{ id: "tea-1" }] });
    expect(meta(answer.results[0])["select_missing"]).toEqual(["/next", "/items/7/id"]);
    expect(answer.results[1]!.data).toMatchObject({ id: "tea-3" });
  });

  test("selects from each element of a loop", async () => {
    const answer = await caller.execute([
      { tool: "probe-echo", for_each: [1, 2], args: { n: { $ref: "item#" } }, select: ["/n"] },
    ]);

    expect(answer.results[0]!.data).toEqual([
      { index: 0, status: "success", data: { n: 1 } },
      { index: 1, status: "success", data: { n: 2 } },
    ]);
  });
});

describe("Hazards", () => {
  test("keep a domain's writes and reads apart, in the order asked, and no other domain's", async () => {
    seen = [];
    const read = (n: number): object => ({ tool: "probe-read", args: { n } });
    const write = (n: number, status = 200): object => ({ tool: "probe-write", args: { n, status } });
    // The reads are answered, and with them the writes sent, once what belongs to no domain has arrived.
    const answerReads = upstream.hold("/read", 1, 2);
    const arrived = () => upstream.requestsTo("/echo").find(({ query }) => query.get("n") === "7");
    void eventually("the other domain's read", arrived).then(answerReads, () => {});
    const answer = await caller.execute([
      read(1),
      read(2),
      write(3),
      read(4),
      write(5, 500),
      read(6),
      { tool: "probe-echo", args: { n: 7 } },
    ]);

    // A write that failed is over as well: order is all that a hazard asks for.
    expect(statuses(answer)).toEqual([
      "success",
      "success",
      "success",
      "success",
      "UPSTREAM_ERROR",
      "success",
      "success",
    ]);
    expect(seen.slice(0, 2).sort()).toEqual(["+read 1", "+read 2"]);
    expect(seen.slice(4)).toEqual([
      "+write 3",
      "-write 3",
      "+read 4",
      "-read 4",
      "+write 5",
      "-write 5",
      "+read 6",
      "-read 6",
    ]);
  });

  test("give way to a reference that runs the other way", async () => {
    seen = [];
    const answer = await caller.execute([
      { id: "write", tool: "probe-write", args: { n: { $ref: "read#/n" } } },
      { id: "read", tool: "probe-read", args: { n: 1 } },
    ]);

    expect(statuses(answer)).toEqual(["success", "success"]);
    expect(seen).toEqual(["+read 1", "-read 1", "+write 1", "-write 1"]);
  });
});

describe("max_tokens", () => {
  const HANDLE = /^r-[0-9a-f-]{36}$/;

  test("cuts what is large, keeps the rest, and gives a handle to the whole", async () => {
    const first = await caller.execute([items(40), search], { max_tokens: 400 });
    const [many, found] = first.results;
    expect(found!.data).toMatchObject({ items: { length: 3 } });
    expect(meta(found)).not.toHaveProperty("truncated");
    expect(meta(many)["truncated"]).toMatchObject({ elements_dropped: expect.any(Number) });
    expect(meta(many)["handle"]).toMatch(HANDLE);
    const cut = (many!.data as { items: readonly { n: number }[] }).items;
    expect(cut.length).toBeLessThan(40);

    // The next call takes from the whole what the answer left out.
    const next = await caller.execute([
      { tool: "probe-echo", args: { n: { $ref: `${String(meta(many)["handle"])}#/items/39/n` } } },
    ]);
    expect(next.results[0]).toMatchObject({ status: "success", data: { n: 39 } });
  });

  test("T03 gives a handle that means nothing to another tenant, and to its own tenant when it is made up", async () => {
    const { results } = await caller.execute([items(40)], { max_tokens: 100 });
    const handle = String(meta(results[0])["handle"]);
    expect(handle).toMatch(HANDLE);
    const use = (by: TestCaller, id: string): Promise<WireEnvelope> =>
      by.execute([{ tool: "probe-echo", args: { n: { $ref: `${id}#/items/0/n` } } }]);

    expect(statuses(await use(caller, handle))).toEqual(["success"]);
    const stranger = await use(new TestCaller(volley.url, "sandbox-other-key"), handle);
    const madeUp = await use(caller, "r-00000000-0000-4000-8000-000000000000");
    expect([...statuses(stranger), ...statuses(madeUp)]).toEqual(["BAD_REFERENCE", "BAD_REFERENCE"]);
    expect(stranger.results[0]!.error!.hint!.replace(handle, "X")).toBe(
      madeUp.results[0]!.error!.hint!.replace("r-00000000-0000-4000-8000-000000000000", "X"),
    );
  });

  test("T49 gives a handle that means nothing to a key that may not call the tool", async () => {
    const recalls = { tool: "nhtsa-recall-search", args: { year: 2020, make: "Toyota", model: "Camry" } };
    const { results } = await caller.execute([recalls], { max_tokens: 20 });
    const handle = String(meta(results[0])["handle"]);
    expect(handle).toMatch(HANDLE);
    const madeUp = "r-00000000-0000-4000-8000-000000000000";
    const use = async (by: TestCaller, id: string) => {
      const args = { q: { $template: `{{${id}#}}` } };
      const [result] = (await by.execute([{ tool: "probe-search", args }])).results;
      return JSON.stringify(result!.error ?? result!.status).replaceAll(id, "X");
    };
    const small = new TestCaller(volley.url, "sandbox-small-key");
    expect(await use(small, handle)).toBe(await use(small, madeUp));
    expect(await use(small, handle)).toContain("BAD_REFERENCE");
    expect(await use(caller, handle)).toBe('"success"');
  });

  test("cuts nothing that fits", async () => {
    const { results } = await caller.execute([search], { max_tokens: 2_000 });
    expect(meta(results[0])).not.toHaveProperty("truncated");
    expect(meta(results[0])).not.toHaveProperty("handle");
  });
});

describe("dry_run", () => {
  const actions = [
    search,
    {
      id: "pick",
      tool: "probe-item",
      for_each: { $ref: "found#/items" },
      args: { id: { $ref: "item#/id" } },
    },
    { id: "auto", tool: "probe-item" },
    { id: "r", tool: "probe-read", args: { n: 1 } },
    { id: "w", tool: "probe-write", args: { n: 2 } },
    { id: "c", tool: "probe-limited", args: { n: 3 }, depends_on: ["found"] },
    { id: "gone", tool: "probe-delete", args: { id: 1 } },
    { id: "bad", tool: "probe-echo", args: { n: "x" } },
  ];

  test("answers with the plan, and sends nothing", async () => {
    const before = upstream.requests.length;
    const answer = await caller.send({ body: JSON.stringify({ actions, dry_run: true }) });

    expect(answer.status).toBe(200);
    const { dry_run, plan, errors } = JSON.parse(answer.text) as Record<string, Record<string, unknown>>;
    expect(dry_run).toBe(true);
    const waves = plan!["waves"] as string[][];
    expect(
      waves.map((wave) => wave.filter((id) => id !== "gone")).filter(({ length }) => length > 0),
    ).toEqual([
      ["found", "r"],
      ["pick", "auto", "w", "c"],
    ]);
    expect(plan).toMatchObject({
      caps: { "probe-limited": 3 },
      confirmations: ["gone"],
      estimated_tokens: expect.any(Number),
      estimated_speedup: expect.any(Number),
    });
    expect(plan!["edges"]).toEqual(
      expect.arrayContaining([
        { from: "found", to: "pick", reason: "reference" },
        { from: "found", to: "auto", reason: "contract" },
        { from: "r", to: "w", reason: "hazard: probe-store" },
        { from: "found", to: "c", reason: "depends_on" },
      ]),
    );
    expect(errors).toMatchObject([{ index: 7, id: "bad", error: { code: "INVALID_ARGS" } }]);
    expect(upstream.requests).toHaveLength(before);
  });

  test("costs nothing of the quota, but one of the allowance for what runs nothing", async () => {
    const small = new TestCaller(volley.url, "sandbox-small-key");
    const left = async (): Promise<number> => {
      const { headers } = await small.send({ body: JSON.stringify({ actions: [search] }) });
      return Number(/^"requests";r=(\d+);/.exec(headers["ratelimit"] as string)![1]);
    };
    const before = await left();
    for (let n = 0; n < 25; n += 1) {
      const answer = await small.send({ body: JSON.stringify({ actions: [search], dry_run: true }) });
      expect(answer.status).toBe(200);
      expect(answer.headers["ratelimit-policy"]).toBe('"lists";q=100;w=60');
    }
    // The bucket fills by one in three seconds.
    expect(await left()).toBeGreaterThanOrEqual(before - 1);
  });

  test("refuses a circle as a run does", async () => {
    const circle = [{ id: "a", tool: "probe-echo", args: { n: { $ref: "a#/n" } } }];
    const answer = await caller.send({ body: JSON.stringify({ actions: circle, dry_run: true }) });
    expect(answer.status).toBe(422);
    expect(problemOf(answer).detail).toContain("a → a");
  });
});
