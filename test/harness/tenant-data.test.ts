import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, test } from "vitest";

import { makeKey } from "../../src/features/keys/stored-key.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { eventually } from "../support/eventually.ts";
import { startSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, TestCaller } from "../support/test-caller.ts";

const quota = { limit: 100_000, window_s: 60 };
const both = ["manage_tools", "manage_keys"];
const VOLLEY_KEYS = await configureKeys({
  acme: { name: "admin", tenant: "acme", flags: both, quota },
  toolsmith: { name: "toolsmith", tenant: "acme", flags: ["manage_tools"], quota },
  keymaster: { name: "keymaster", tenant: "acme", flags: ["manage_keys"], quota },
  reader: { name: "reader", tenant: "acme", quota },
  heir: { name: "admin", tenant: "heir", flags: both, quota },
  doomed: { name: "admin", tenant: "doomed", flags: both, quota },
  small: { name: "small", tenant: "doomed", quota: { limit: 3, window_s: 3_600 } },
});
const { volley, upstream } = await setUpSandbox({ VOLLEY_KEYS, WORKSPACE: "on" }, startSandbox);
const as = (key: string) => new TestCaller(volley.url, key);
const send = (by: string, method: string, path: string, body?: unknown): Promise<RawAnswer> =>
  as(by).send({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }) });
const json = (answer: RawAnswer) => JSON.parse(answer.text) as Record<string, unknown>;
const must = async (...args: Parameters<typeof send>) => {
  const answer = await send(...args);
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.text === "" ? {} : json(answer);
};
const statusOf = async (key: string) => (await as(key).get("/v1/flows")).status;

const declare = (changes: object = {}) => ({
  summary: "Say a number back",
  description: "The number that was sent. Size: about 10 tokens.",
  category: "numbers",
  actions: ["read"],
  is_write: false,
  input_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  http: { method: "GET", url: `${upstream.url}/echo` },
  ...changes,
});
const FLOW = {
  summary: "Say two numbers back",
  input_schema: { type: "object", properties: {} },
  actions: [{ id: "one", tool: "a-first", args: { n: 1 } }],
  answer: { $ref: "one#/n" },
};

/** Give a tenant a tool that depends on another, a flow and two keys; the keys. */
async function fill(by: string): Promise<{ plain: string; before: string; after: string }> {
  await must(by, "PUT", "/v1/tools/b-second", declare());
  const orchestration = { mode: "dependent", depends_on: [{ tool: "b-second", required_fields: ["n"] }] };
  await must(by, "PUT", "/v1/tools/a-first", declare({ orchestration }));
  // Changed later, so it comes later than what depends on it.
  await must(by, "PUT", "/v1/tools/b-second", declare({ summary: "Say the number back" }));
  await must(by, "PUT", "/v1/flows/two-numbers", FLOW);
  const plain = await must(by, "POST", "/v1/keys", {
    name: "plain",
    tools: ["a-first", "probe"],
    subject: "ada",
  });
  const before = await must(by, "POST", "/v1/keys", {
    name: "turning",
    tools: ["*"],
    flags: ["manage_tools"],
  });
  const after = await must(by, "POST", "/v1/keys", { name: "turning", overlap_s: 86_400 });
  return { plain: String(plain["key"]), before: String(before["key"]), after: String(after["key"]) };
}
const exportOf = (by: string) => must(by, "GET", "/v1/export");

const folder = await mkdtemp(join(tmpdir(), "volley-backup-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const SCRIPT = fileURLToPath(new URL("../../scripts/volley.ts", import.meta.url));

/** Run the script as somebody over a document. */
async function restore(by: string, backup: unknown): Promise<{ code: number | null; printed: string }> {
  await writeFile(join(folder, "backup.json"), JSON.stringify(backup));
  const child = spawn(process.execPath, [SCRIPT, "restore", "backup.json"], {
    cwd: folder,
    env: { ...process.env, VOLLEY_URL: volley.url, VOLLEY_KEY: by },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (printed += part));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, printed };
}

/** The part of an export that is the same wherever it is restored. */
function essence({ tools, flows, keys }: Record<string, unknown>): unknown {
  const byName = (list: unknown) =>
    (list as { name: string }[]).toSorted((a, b) => a.name.localeCompare(b.name));
  return {
    tools: byName(tools),
    flows: byName(flows),
    keys: byName(keys).map((key) => {
      const {
        created_at: _,
        rotated_at: __,
        previous_ends_at: ___,
        tenant: ____,
        hashes,
        ...rest
      } = key as unknown as Record<string, unknown>;
      return { ...rest, hashes: (hashes as { hash: string }[]).map(({ hash }) => hash) };
    }),
  };
}

describe("GET /v1/export", () => {
  test("gives what the key may manage and no more, and never a key or a secret", async () => {
    const keys = await fill("acme");
    const whole = await send("acme", "GET", "/v1/export");
    expect(json(whole)).toMatchObject({
      volley_export: 1,
      tenant: "acme",
      flows: [{ name: "two-numbers", ...FLOW }],
      keys: [{ name: "turning", hashes: [{}, { ends_at: null }] }, { name: "plain" }],
    });
    for (const key of Object.values(keys)) expect(whole.text).not.toContain(key);
    expect(Object.keys(await exportOf("toolsmith"))).toEqual([
      "volley_export",
      "tenant",
      "created_at",
      "tools",
      "flows",
      "runs",
      "counts",
    ]);
    expect(Object.keys(await exportOf("keymaster"))).toEqual([
      "volley_export",
      "tenant",
      "created_at",
      "keys",
      "sign_ins",
    ]);
    const refused = await send("reader", "GET", "/v1/export");
    expect([refused.status, problemOf(refused).code]).toEqual([403, "FORBIDDEN"]);
  });
});

describe("POST /v1/tenant/delete", () => {
  test("is refused without both flags, and without the tenant's name", async () => {
    for (const by of ["reader", "toolsmith", "keymaster"]) {
      const answer = await send(by, "POST", "/v1/tenant/delete", { tenant: "acme" });
      expect([answer.status, problemOf(answer).code]).toEqual([403, "FORBIDDEN"]);
    }
    for (const body of [{}, { tenant: "Acme" }, { tenant: "doomed" }, { tenant: "acme", all: true }]) {
      const answer = await send("acme", "POST", "/v1/tenant/delete", body);
      expect([answer.status, problemOf(answer).code]).toEqual([422, "INVALID_REQUEST"]);
    }
    expect((await exportOf("acme"))["flows"]).toHaveLength(1);
  });

  test("deletes jobs, answers, questions, tools, flows, files, objects and keys, and no quota that is used", async () => {
    const { plain, after } = await fill("doomed");
    const doomed = as("doomed");
    const { results } = await doomed.execute([
      { tool: "write", args: { path: "a/b.txt", content: "x" } },
      { tool: "csv_report", args: { source: "orders" } },
      { tool: "probe-background", args: { n: 1 } },
      { tool: "probe-delete", args: { id: "7" } },
    ]);
    const [, report, job, question] = results as unknown as Record<string, Record<string, string>>[];
    const jobId = (results[2] as unknown as { job_id: string }).job_id;
    expect(results.map(({ status }) => status)).toEqual([
      "success",
      "success",
      "initiated",
      "pending_confirmation",
    ]);
    const url = (report!["data"] as { url: string }).url;
    const questionPath = `/v1/confirmations/${question!["confirmation"]!["id"]}`;
    const keyed = (body: string) => doomed.send({ body, headers: { "idempotency-key": "once" } });
    const once = JSON.stringify({ actions: [{ tool: "probe-write", args: { n: 5 } }] });
    await keyed(once);
    const wide = Array.from({ length: 20 }, (_, n) => ({ tool: "probe-background", args: { n } }));
    await doomed.execute(wide);
    expect(json(await doomed.get("/v1/jobs?limit=100"))["jobs"]).toHaveLength(21);
    // Three an hour, and all of them are used.
    const small = as("small");
    const spend = () =>
      small.send({ body: JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] }) });
    for (let at = 0; at < 3; at += 1) expect((await spend()).status).toBe(200);
    expect((await spend()).status).toBe(429);
    const paths = [url, questionPath, `/v1/jobs/${jobId}`, "/v1/tools/a-first", "/v1/flows/two-numbers"];
    for (const path of paths)
      expect([path, (await doomed.get(new URL(path, volley.url).pathname)).status]).toEqual([path, 200]);
    expect(job).toBeDefined();

    expect(await must("doomed", "POST", "/v1/tenant/delete", { tenant: "doomed" })).toEqual({
      tenant: "doomed",
      objects: 1,
      more_objects: false,
      files: 1,
      keys: 2,
      sign_ins: 0,
      runs: expect.any(Number) as number,
      counts: expect.any(Number) as number,
      endpoints: 0,
      connections: 0,
    });
    for (const path of paths)
      expect([path, (await doomed.get(new URL(path, volley.url).pathname)).status]).toEqual([path, 404]);
    expect(json(await doomed.get("/v1/jobs?limit=100"))["jobs"]).toEqual([]);
    expect(await exportOf("doomed")).toMatchObject({ tools: [], flows: [], keys: [] });
    const [glob] = (await doomed.execute([{ tool: "glob", args: { pattern: "**" } }])).results;
    expect(JSON.stringify(glob)).not.toContain("b.txt");
    expect((await keyed(once)).headers["idempotency-replayed"]).toBeUndefined();
    expect((await spend()).status).toBe(429);
    // Revoked as any: within 30 seconds where they were used, at once where they were not.
    expect([await statusOf(plain), await statusOf(after)]).toEqual([401, 401]);
    // And everything works as in a new tenant, tools of the same names among it.
    await fill("doomed");
    const called = await doomed.execute([
      { tool: "two-numbers", args: {} },
      { tool: "a-first", args: { n: 3 } },
    ]);
    expect(called.results.map(({ status }) => status)).toEqual(["success", "success"]);
    expect(json(await send("acme", "GET", "/v1/export"))["flows"]).toHaveLength(1);
    // Twice is as good as once.
    await must("doomed", "POST", "/v1/tenant/delete", { tenant: "doomed" });
    await must("doomed", "POST", "/v1/tenant/delete", { tenant: "doomed" });
  });
});

describe("volley restore", () => {
  test("puts everything back where nothing is, the keys in their callers' hands among it", async () => {
    await must("doomed", "POST", "/v1/tenant/delete", { tenant: "doomed" });
    const keys = await fill("doomed");
    const ran = await as("doomed").execute([{ tool: "probe-write", args: { n: 41 } }]);
    const backup = await eventually("the run", async () => {
      const whole = await exportOf("doomed");
      return JSON.stringify(whole["runs"]).includes(ran.batch_id) ? whole : undefined;
    });
    await must("doomed", "POST", "/v1/tenant/delete", { tenant: "doomed" });
    for (const key of Object.values(keys)) expect(await statusOf(key)).toBe(401);
    // Into another tenant: what is restored is that one's.
    const restored = await restore("heir", backup);
    expect(restored).toEqual({ code: 0, printed: "6 put back, 0 refused.\n" });
    expect(essence(await exportOf("heir"))).toEqual(essence(backup));
    const again = await restore("heir", backup);
    expect(again.code, again.printed).toBe(0);
    const { results } = await as("heir").execute([{ tool: "two-numbers", args: {} }]);
    expect(results).toMatchObject([{ status: "success", data: 1 }]);
    // The run can be seen, and not run again: a deployment does not know what ran elsewhere since.
    const run = `/v1/runs/${ran.batch_id}`;
    expect(await must("heir", "GET", run)).toMatchObject({ key: "admin", actions: [{ args: { n: 41 } }] });
    const writes = upstream.requestsTo("/write").length;
    expect((await send("heir", "POST", `${run}/rerun`, {})).status).toBe(422);
    expect(upstream.requestsTo("/write")).toHaveLength(writes);
  });

  test("says what it cannot put back: a key that is somebody else's, a tool that cannot be", async () => {
    await fill("acme").catch(() => {});
    const backup = await exportOf("acme");
    const stolen = { ...backup, tools: [{ name: "send_email", ...declare() }], flows: [] };
    const { code, printed } = await restore("doomed", stolen);
    expect(code).toBe(1);
    expect(printed).toContain("tool send_email: NAME_TAKEN");
    expect(printed).toContain("key plain: INVALID_REQUEST: /hash: another key has it already");
    expect(await restore("doomed", { volley: 1 })).toMatchObject({ code: 2 });
    const refused = await restore(makeKey(new Uint8Array(32)), backup);
    expect(refused).toMatchObject({
      code: 2,
      printed: expect.stringContaining("does not know the key") as string,
    });
  });
});
