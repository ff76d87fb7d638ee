import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { configureKeys } from "../support/configured-keys.ts";
import { freshKey, hashOf, jsonOf, keysAt } from "../support/made-keys.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf } from "../support/test-caller.ts";

const quota = { limit: 100_000, window_s: 60 };
const flags = ["manage_keys"];
const VOLLEY_KEYS = await configureKeys({
  manager: { name: "manager", tenant: "acme", flags: ["approve", ...flags, "manage_tools"], quota },
  narrow: { name: "narrow", tenant: "acme", flags, tools: ["probe"], quota: { limit: 60, window_s: 60 } },
  plain: { name: "plain", tenant: "acme", quota },
  stranger: { name: "stranger", tenant: "other", flags, quota },
  five: { name: "five", tenant: "acme", flags, quota: { limit: 5, window_s: 86_400 } },
});
const { volley } = await setUpSandbox({ VOLLEY_KEYS });
const { as, send, make, statusOf, untilRefused } = keysAt(volley.url, "manager");
const manager = as("manager");

describe("POST /v1/keys", () => {
  test("makes a key that works at once, with the tools and the quota it was given, and shows it this once", async () => {
    const answer = await send("POST", "/v1/keys", {
      name: "reader",
      tools: ["probe-echo"],
      quota: { limit: 30, window_s: 60 },
    });
    expect([answer.status, answer.headers["cache-control"]]).toEqual([201, "no-store"]);
    const { key, ...shown } = jsonOf(answer) as { key: string };
    expect(shown).toMatchObject({
      name: "reader",
      tenant: "acme",
      tools: ["probe-echo"],
      quota: { limit: 30, window_s: 60 },
      flags: [],
      expires_at: null,
      rotated_at: null,
      previous_ends_at: null,
    });
    const reader = as(key);
    const answered = await reader.send({
      body: JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 4 } }, { tool: "send_email" }] }),
    });
    expect(answered.headers["ratelimit-policy"]).toBe('"requests";q=30;w=60');
    expect(jsonOf(answered)["results"]).toMatchObject([
      { status: "success", data: { n: 4 } },
      { status: "error", error: { code: "UNKNOWN_TOOL" } },
    ]);
    const list = await manager.get("/v1/keys");
    expect(list.text).not.toContain(key);
    expect(list.text).not.toContain(await hashOf(key));
  });

  test("takes the digest of a key that was made elsewhere, the same one again as well, and answers no key", async () => {
    const key = freshKey();
    const body = { name: "browser", tools: ["*"], hash: await hashOf(key) };
    const answers = [await send("POST", "/v1/keys", body), await send("POST", "/v1/keys", body)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers.map((answer) => "key" in jsonOf(answer))).toEqual([false, false]);
    expect(await statusOf(key)).toBe(200);
    const taken = await send("POST", "/v1/keys", { ...body, name: "browser-2" });
    expect([taken.status, jsonOf(taken)]).toMatchObject([422, { code: "INVALID_REQUEST", path: "/hash" }]);
    const stolen = await send("POST", "/v1/keys", { ...body, name: "mine" }, as("stranger"));
    expect([stolen.status, jsonOf(stolen)["path"]]).toEqual([422, "/hash"]);
    const configured = await send("POST", "/v1/keys", { ...body, name: "x", hash: await hashOf("plain") });
    expect([configured.status, jsonOf(configured)["path"]]).toEqual([422, "/hash"]);
    expect(await statusOf(key)).toBe(200);
  });

  test.each([
    ["another tenant", { tenant: "other" }, 403, "/tenant"],
    ["a tool it has not", { tools: ["probe-echo", "send_email"] }, 403, "/tools/1"],
    ["a category it has not", { tools: ["email"] }, 403, "/tools/0"],
    ["everything", { tools: ["*"] }, 403, "/tools/0"],
    ["a flag it has not", { flags: ["manage_keys", "manage_tools"] }, 403, "/flags/1"],
    ["to skip a person's yes", { flags: ["skip_approval"] }, 403, "/flags/0"],
    ["to say a person's yes", { flags: ["approve"] }, 403, "/flags/0"],
    ["more requests than it has", { quota: { limit: 61, window_s: 60 } }, 403, "/quota"],
    ["more requests in another window", { quota: { limit: 2, window_s: 1 } }, 403, "/quota"],
    ["a time that is over", { expires_at: "2020-01-01T00:00:00Z" }, 422, "/expires_at"],
    ["a day that is none", { expires_at: "2099-02-30T00:00:00Z" }, 422, "/expires_at"],
    ["no tools", { tools: undefined }, 422, "/tools"],
    ["an empty list of tools", { tools: [] }, 422, "/tools"],
    ["a name with a slash", { name: "a/b" }, 422, "/name"],
    ["a hash that is none", { hash: "00" }, 422, "/hash"],
    ["a webhook secret", { webhook_secret: "OTHER_SECRET" }, 422, "/webhook_secret"],
    ["a jurisdiction", { jurisdiction: "eu" }, 422, "/jurisdiction"],
    ["an overlap of a year", { overlap_s: 31_536_000 }, 422, "/overlap_s"],
  ])("refuses %s, by path", async (_, changes, status, path) => {
    const answer = await send("POST", "/v1/keys", { name: "no", tools: ["probe"], ...changes }, as("narrow"));
    expect([answer.status, jsonOf(answer)["path"]], answer.text).toEqual([status, path]);
    expect(jsonOf(answer)["detail"]).not.toBe("");
    expect((await send("DELETE", "/v1/keys/no")).status).toBe(404);
  });

  test("T50 gives the flag 'approve' where the key that asks has it: the key that was made decides", async () => {
    const decider = as(await make({ name: "decider", tools: ["*"], flags: ["approve"] }));
    const asker = as(await make({ name: "asker", tools: ["*"] }));
    const { results } = await asker.execute([{ tool: "probe-delete", args: { id: "made" } }]);
    const path = `/v1/confirmations/${results[0]!.confirmation!.id}`;
    expect((await send("POST", path, { decision: "approve" }, asker)).status).toBe(403);
    expect((await send("POST", path, { decision: "approve" }, decider)).status).toBe(200);
  });

  test("narrows a category to one of its tools, and gives no more requests than there are unless asked", async () => {
    const answer = await send("POST", "/v1/keys", { name: "narrower", tools: ["probe-echo"] }, as("narrow"));
    expect([answer.status, jsonOf(answer)["quota"]]).toEqual([201, { limit: 60, window_s: 60 }]);
  });

  test("refuses names that are taken, in VOLLEY_KEYS too, and keys without the flag whatever they ask", async () => {
    await make({ name: "once", tools: ["*"] });
    for (const name of ["once", "plain"]) {
      const answer = await send("POST", "/v1/keys", { name, tools: ["*"] });
      expect([answer.status, problemOf(answer).code]).toEqual([409, "NAME_TAKEN"]);
    }
    const plain = as("plain");
    for (const answer of [
      await send("POST", "/v1/keys", { name: "x", tools: ["*"] }, plain),
      await send("GET", "/v1/keys", undefined, plain),
      await send("DELETE", "/v1/keys/once", undefined, plain),
      await send("GET", "/v1/keys", undefined, as(await make({ name: "made-plain", tools: ["*"] }))),
    ])
      expect([answer.status, problemOf(answer).code]).toEqual([403, "FORBIDDEN"]);
  });

  test("of two tenants with one name each has its own", async () => {
    const [ours, theirs] = [
      await make({ name: "shared", tools: ["*"] }),
      await make({ name: "shared", tools: ["*"] }, as("stranger")),
    ];
    expect((await send("DELETE", "/v1/keys/shared", undefined, as("stranger"))).status).toBe(204);
    expect([await statusOf(ours), await statusOf(theirs)]).toEqual([200, 401]);
  });
});

describe("A key that is made by a made key", () => {
  test("may no more than its maker, and lives no longer", async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const deputy = as(await make({ name: "deputy", tools: ["probe"], flags, expires_at: until }));
    for (const [body, path] of [
      [{ tools: ["*"] }, "/tools/0"],
      [{ tools: ["probe"] }, "/expires_at"],
      [{ tools: ["probe"], expires_at: "2099-01-01T00:00:00Z" }, "/expires_at"],
    ] as const) {
      const answer = await send("POST", "/v1/keys", { name: "third", ...body }, deputy);
      expect([answer.status, jsonOf(answer)["path"]]).toEqual([403, path]);
    }
    // Not by giving a more powerful name another key either.
    await make({ name: "powerful", tools: ["*"] });
    const rotated = await send("POST", "/v1/keys", { name: "powerful", overlap_s: 60 }, deputy);
    expect([rotated.status, jsonOf(rotated)["path"]]).toEqual([403, "/tools/0"]);
    const third = await make({ name: "third", tools: ["probe"], expires_at: until }, deputy);
    expect(await statusOf(third)).toBe(200);
  });
});

describe("Rotation", () => {
  test("makes a second key of a name, and ends the first when the overlap is over", async () => {
    const first = await make({ name: "turning", tools: ["probe"], quota: { limit: 50, window_s: 60 } });
    const answer = await send("POST", "/v1/keys", { name: "turning", overlap_s: 2 });
    expect(answer.status, answer.text).toBe(201);
    const { key: second, rotated_at, previous_ends_at } = jsonOf(answer) as Record<string, string>;
    expect(Date.parse(previous_ends_at!) - Date.parse(rotated_at!)).toBe(2_000);
    const both = await Promise.all([first, second!].map((key) => as(key).get("/v1/tools")));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    // One name, one allowance: the second request finds one less than the first left.
    const left = both.map(({ headers }) => Number(/r=(\d+)/.exec(String(headers["ratelimit"]))![1]));
    expect(Math.abs(left[0]! - left[1]!)).toBeGreaterThanOrEqual(1);
    await untilRefused(first);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(previous_ends_at!));
    expect(await statusOf(second!)).toBe(200);
    const { keys } = jsonOf(await manager.get("/v1/keys")) as { keys: Record<string, unknown>[] };
    expect(keys.filter(({ name }) => name === "turning")).toMatchObject([
      { tools: ["probe"], quota: { limit: 50, window_s: 60 }, rotated_at, previous_ends_at: null },
    ]);
  });

  test("without an overlap ends the first at once", async () => {
    const first = await make({ name: "leaked", tools: ["probe"] });
    expect(await statusOf(first)).toBe(200);
    const second = await make({ name: "leaked", overlap_s: 0 });
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });

  test("is refused for a name that is not there, and beside other settings", async () => {
    const nobody = await send("POST", "/v1/keys", { name: "nobody", overlap_s: 60 });
    expect([nobody.status, problemOf(nobody).code]).toEqual([404, "NOT_FOUND"]);
    await make({ name: "settled", tools: ["probe"] });
    const changed = await send("POST", "/v1/keys", { name: "settled", overlap_s: 60, tools: ["*"] });
    expect([changed.status, jsonOf(changed)["path"]]).toEqual([422, "/tools"]);
  });
});

describe("A key that has ended", () => {
  test("is any unknown key: after its expiry, to the moment, and after it was revoked", async () => {
    const expires_at = new Date(Date.now() + 1_500).toISOString();
    const brief = await make({ name: "brief", tools: ["*"], expires_at });
    const status = await statusOf(brief);
    // A machine may be so slow that its time is over by now.
    if (Date.now() < Date.parse(expires_at)) expect(status).toBe(200);
    const revoked = await make({ name: "revoked", tools: ["*"] });
    expect(await statusOf(revoked)).toBe(200);
    expect((await send("DELETE", "/v1/keys/revoked")).status).toBe(204);
    await untilRefused(brief);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at));

    const scrub = async (key: string) => {
      const { status, headers, text } = await as(key).get("/v1/tools");
      const { "x-request-id": id, date: _, ...rest } = headers;
      return { status, rest, text: text.replace(String(id), "") };
    };
    const unknown = await scrub(freshKey());
    expect(unknown.status).toBe(401);
    for (const key of [brief, revoked, "nonsense"]) expect(await scrub(key)).toEqual(unknown);
    for (const name of ["brief", "revoked"]) {
      const again = await send("DELETE", `/v1/keys/${name}`);
      expect([again.status, problemOf(again).code]).toEqual([404, "NOT_FOUND"]);
      expect(jsonOf(await manager.get("/v1/keys?limit=100"))["keys"]).not.toContainEqual(
        expect.objectContaining({ name }),
      );
    }
    // The name is free again.
    expect(await statusOf(await make({ name: "brief", tools: ["*"] }))).toBe(200);
  });
});

describe("GET /v1/keys", () => {
  test("lists a tenant's keys in pages, newest first, those of VOLLEY_KEYS beside the first", async () => {
    const by = as("stranger");
    for (let at = 0; at < 5; at += 1) await make({ name: `page-${at}`, tools: ["*"] }, by);
    const names: string[] = [];
    let path = "/v1/keys?limit=2";
    for (let pages = 0; path !== ""; pages += 1) {
      const page = jsonOf(await by.get(path)) as {
        keys: { name: string; last_used_at: string | null }[];
        next_cursor: string | null;
        configured?: unknown;
      };
      names.push(...page.keys.map(({ name }) => name));
      expect(page.keys.every(({ last_used_at }) => last_used_at === null)).toBe(true);
      expect(page.configured).toEqual(
        pages === 0
          ? [{ name: "stranger", tools: ["*"], quota, flags, last_used_at: expect.any(String) }]
          : undefined,
      );
      path = page.next_cursor === null ? "" : `/v1/keys?limit=2&cursor=${page.next_cursor}`;
    }
    expect(names).toEqual(["page-4", "page-3", "page-2", "page-1", "page-0"]);
  });

  test.each(["limit=0", "limit=101", "cursor=x", "cursor=1_a%2Fb", "limit=1&limit=2", "page=2"])(
    "refuses ?%s",
    async (query) => {
      const answer = await manager.get(`/v1/keys?${query}`);
      expect([answer.status, problemOf(answer).code]).toEqual([400, "INVALID_QUERY"]);
    },
  );
});

test("A deployment without the binding says what is missing, and knows its other keys as always", async () => {
  await using bare = await startRawSandbox({ vars: { VOLLEY_KEYS }, without: ["KEYS"] });
  const answer = await send("POST", "/v1/keys", { name: "x", tools: ["*"] }, as("manager", bare.url));
  expect([answer.status, problemOf(answer).code]).toEqual([501, "MISCONFIGURED"]);
  expect(problemOf(answer).detail).toContain("KEYS");
  expect([await statusOf("plain", bare.url), await statusOf(freshKey(), bare.url)]).toEqual([200, 401]);
});

test("Made keys end with the last key of VOLLEY_KEYS that could revoke them", async () => {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-keys-"));
  onTestFinished(() => rm(storageDir, { recursive: true, force: true }));
  const before = await startRawSandbox({ vars: { VOLLEY_KEYS }, storageDir });
  const key = await make({ name: "orphan", tools: ["*"] }, as("manager", before.url));
  expect(await statusOf(key, before.url)).toBe(200);
  await before[Symbol.asyncDispose]();
  const without = await configureKeys({ plain: { name: "plain", tenant: "acme", quota } });
  await using raw = await startRawSandbox({ vars: { VOLLEY_KEYS: without }, storageDir });
  expect([await statusOf(key, raw.url), await statusOf("plain", raw.url)]).toEqual([401, 200]);
});

test("T45 P3 twelve keys that a key of five requests made, and one that one of them made, send five batches together", async () => {
  const five = as("five");
  const small = { tools: ["probe-echo"], quota: { limit: 5, window_s: 86_400 } };
  const keys = [];
  for (let n = 0; n < 12; n += 1)
    keys.push(await make({ ...small, name: `five-${n}`, flags: n === 0 ? ["manage_keys"] : [] }, five));
  keys.push(await make({ ...small, name: "below" }, as(keys[0]!)));
  const body = JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] });
  const answers = [];
  for (const key of [...keys, ...keys]) answers.push(await as(key).send({ body }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(21);
  expect(problemOf(refused[0]!)).toMatchObject({
    code: "QUOTA_EXCEEDED",
    detail: expect.stringContaining("A key above this one and all keys that it made may send 5 requests"),
  });
  expect(problemOf(await five.send({ body }))).toMatchObject({
    code: "QUOTA_EXCEEDED",
    detail: expect.stringContaining("The key may send 5 requests"),
  });
  const usage = jsonOf(await as(keys.at(-1)!).get("/v1/usage")) as { quota: { requests: object } };
  expect(usage.quota.requests).toMatchObject({ limit: 5, remaining: 0 });
});
