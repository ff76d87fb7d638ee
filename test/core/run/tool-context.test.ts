import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { ToolContext, ToolDeclaration, UpstreamRequest } from "../../../src/core/catalog/define-tool.ts";
import { AnsweredFailure, ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { runAttempt } from "../../../src/core/run/run-attempt.ts";
import { ByteBudget } from "../../../src/core/egress/byte-budget.ts";
import type { Ports } from "../../../src/core/egress/ports.ts";
import { Semaphore } from "../../../src/core/kit/semaphore.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { trial } from "../../support/trial.ts";

const SECRET = "s3cr3t/key+of ours";

/** Run one call of a tool that does this. */
async function runTool(
  run: (ctx: ToolContext) => unknown,
  {
    ports = {},
    world = new TestWorld(),
    ...declaration
  }: Partial<ToolDeclaration> & {
    readonly ports?: Partial<Ports>;
    readonly world?: TestWorld;
  } = {},
) {
  const tool = contractOf("tool", { ...declaration, run: async (_, ctx) => (await run(ctx)) ?? "done" });
  const { results } = await world.run(
    [tool],
    { actions: [{ tool: "tool" }] },
    { ports: { ...world.ports, ...ports } },
  );
  const lines = world.logged.map(({ json }) => JSON.parse(json) as Record<string, unknown>);
  return { world, result: results[0]!, lines };
}

test("ctx.connection of a tool that may use an account has none in a Worker without connections", async () => {
  const { result } = await runTool(
    async (ctx) => {
      const own = ctx.connection("google");
      await own.fetch("https://api.example.com/").catch(({ failure }: ToolFailure) => {
        expect(failure.code).toBe("CONNECTION_REQUIRED");
      });
      return { isConnected: own.isConnected, account: own.account };
    },
    { connection: "google", connectionOptional: true },
  );
  expect(result).toMatchObject({ status: "success", data: { isConnected: false, account: null } });
});

describe("ctx.log", () => {
  test("costs a tool that does not log nothing, and nothing is written", async () => {
    const { lines } = await runTool(() => "done");
    expect(lines).toEqual([]);
  });

  test("says whose line it is, at the level that was asked for", async () => {
    const { lines } = await runTool(({ log }) => {
      log("plain", { n: 1 });
      for (const level of ["info", "warn", "error"] as const) log[level](level);
    });
    const whose = { event: "tool_log", request_id: "request-1", tenant: "acme", key: "tester", tool: "tool" };
    expect(lines).toEqual([
      { level: "info", ...whose, message: "plain", fields: { n: 1 } },
      { level: "info", ...whose, message: "info" },
      { level: "warn", ...whose, message: "warn" },
      { level: "error", ...whose, message: "error" },
    ]);
  });

  trial(
    "never writes a secret, a line that is too long, or what is no JSON, whatever is logged",
    async () => {
      const world = new TestWorld();
      world.secrets.set("KEY", SECRET);
      const spelled = fc.constantFrom(
        SECRET,
        encodeURIComponent(SECRET),
        btoa(SECRET),
        btoa(`user:${SECRET}`),
      );
      const text = fc
        .tuple(fc.string({ maxLength: 9_000 }), spelled, fc.string())
        .map((parts) => parts.join(" "));
      const anything = fc.anything({
        values: [text, fc.string(), fc.integer()],
        withBigInt: true,
        withMap: true,
        withSet: true,
        withTypedArray: true,
        withDate: true,
      });
      const forms = [SECRET, encodeURIComponent(SECRET), btoa(SECRET).replace(/=+$/, "")];
      await fc.assert(
        fc.asyncProperty(fc.oneof(text, anything), anything, async (message, fields) => {
          world.logged.length = 0;
          await runTool((ctx) => ctx.log(message as string, fields as object as Record<string, unknown>), {
            world,
            secrets: ["KEY"],
          });
          expect(world.logged).toHaveLength(1);
          const { json } = world.logged[0]!;
          expect(JSON.parse(json)).toMatchObject({ event: "tool_log" });
          expect(json.length).toBeLessThanOrEqual(2 * LIMITS.logLineCharacters);
          for (const form of forms) expect(json).not.toContain(JSON.stringify(form).slice(1, -1));
        }),
        { numRuns: 200 },
      );
    },
  );

  test("leaves out what is too long, and says so in its place", async () => {
    const long = "y".repeat(LIMITS.logLineCharacters);
    const { lines } = await runTool(({ log }) => {
      log("short", { long });
      log(long, { short: 1 });
      log.warn(long);
    });
    expect(lines).toMatchObject([
      { level: "info", message: "short", fields: "(left out: too long)", tool: "tool" },
      { level: "info", message: "(left out: too long)", tool: "tool" },
      { level: "warn", message: "(left out: too long)", tool: "tool" },
    ]);
    expect(lines[1]).not.toHaveProperty("fields");
  });

  test("writes so many lines of one call, says once that the rest is left out, and then nothing", async () => {
    const { world, lines } = await runTool(({ log }) => {
      for (let n = 0; n < LIMITS.logLines + 10; n += 1) log("line", { n });
    });
    expect(lines).toHaveLength(LIMITS.logLines + 1);
    expect(lines.slice(0, -1).map(({ fields }) => fields)).toEqual(
      Array.from({ length: LIMITS.logLines }, (_, n) => ({ n })),
    );
    expect(lines.at(-1)).toMatchObject({ level: "warn", event: "tool_log", tool: "tool" });
    expect(lines.at(-1)!["message"]).toContain("left out");
    expect(world.logged.at(-1)!.level).toBe("warn");
  });

  test("of one request together is no more than the platform keeps, whichever of its tools logs", async () => {
    const world = new TestWorld();
    const tool = contractOf("tool", {
      run: async (_, { log }) => {
        for (let n = 0; n < 100; n += 1) log("y".repeat(8_000));
      },
    });
    const actions = Array.from({ length: 50 }, (_, n) => ({ tool: "tool", args: { n } }));
    await world.run([tool], { actions });
    const characters = world.logged.reduce((sum, { json }) => sum + json.length, 0);
    expect(characters).toBeGreaterThan(200 * 1024);
    expect(characters).toBeLessThan(LIMITS.logCharacters + 10 * 1024);
  });

  test("of one call leaves its siblings theirs", async () => {
    const world = new TestWorld();
    const loud = contractOf("loud", {
      run: async (_, { log }) => {
        for (let n = 0; n < 1_000; n += 1) log("y".repeat(1_000));
      },
    });
    const quiet = contractOf("quiet", { run: async (_, { log }) => log("I am here too") });
    await world.run([loud, quiet], { actions: [{ tool: "loud" }, { tool: "quiet" }] });
    expect(world.logged.at(-1)!.json).toContain("I am here too");
  });
});

describe("a tool that throws by mistake", () => {
  test("is logged with the frames of where it threw, without secrets", async () => {
    const world = new TestWorld();
    world.secrets.set("KEY", SECRET);
    const { result, lines } = await runTool(
      () => {
        throw new RangeError(`Cannot use ${SECRET}`);
      },
      { world, secrets: ["KEY"] },
    );
    expect(result).toMatchObject({ status: "error", error: { code: "TOOL_FAILED" } });
    expect(JSON.stringify(result)).not.toContain("Cannot use");
    expect(lines).toMatchObject([
      {
        level: "error",
        event: "tool_failed",
        error: { name: "RangeError", message: "Cannot use [redacted]" },
      },
    ]);
    expect(world.logged[0]!.stack).toMatch(
      /^tool: RangeError: Cannot use \[redacted\]\n +at .*tool-context\.test\.ts/,
    );
  });

  class Unreadable extends Error {
    override get message(): string {
      throw new Error("Not even this");
    }
  }
  const SHALLOW = Object.assign(new Error("no frames"), { stack: undefined });

  test.each<[string, () => unknown, object]>([
    ["what is no Error", () => ({ code: 7 }), { name: "(no Error)", message: { code: 7 } }],
    ["what cannot be read", () => new Unreadable(), { name: "(unreadable)", message: "" }],
    ["an Error without frames", () => SHALLOW, { name: "Error", message: "no frames", stack: "" }],
    [
      "a document of an Error",
      () => new Error("y".repeat(LIMITS.logLineCharacters)),
      { name: "Error", message: "(left out: too long)" },
    ],
    [
      "an Error that says more than a call may",
      () => new Error("y".repeat(LIMITS.callLogCharacters + 1)),
      { name: "Error", message: `(text of ${LIMITS.callLogCharacters + 1} characters)`, stack: "" },
    ],
  ])("may throw %s, and is logged all the same", async (_, thrown, error) => {
    const { world, result, lines } = await runTool(() => {
      throw thrown();
    });
    expect(result.error!.code).toBe("TOOL_FAILED");
    expect(lines).toMatchObject([{ level: "error", event: "tool_failed", tool: "tool", error }]);
    expect(world.logged[0]!.level).toBe("error");
    const stack = (lines[0]!["error"] as { readonly stack?: string }).stack;
    expect(world.logged[0]!.stack === undefined).toBe(!stack);
  });

  test("logs frames alone, one a line, and not the message above them a second time", async () => {
    const { lines } = await runTool(() => {
      throw new RangeError("told once\n   at a line of its own");
    });
    const { stack } = lines[0]!["error"] as { readonly stack: string };
    expect(stack).not.toContain("told once");
    expect(stack.split("\n").length).toBeGreaterThan(1);
    for (const frame of stack.split("\n")) expect(frame).toMatch(/^ +at /);
  });

  test("is not one that fails on purpose, or runs out of time", async () => {
    const refused = await runTool(() => Promise.reject(new ToolFailure("NOT_FOUND")));
    const late = await runTool(() => new Promise(() => {}));
    expect([refused.result.error!.code, late.result.error!.code]).toEqual(["NOT_FOUND", "TIMEOUT"]);
    expect([...refused.lines, ...late.lines]).toEqual([]);
  });
});

describe("ctx.binding", () => {
  const DB = { name: "a database" };
  const bound = (): TestWorld => {
    const world = new TestWorld();
    world.bindings.set("DB", DB);
    return world;
  };

  test("gives what the deployment has under a declared name", async () => {
    const { result } = await runTool((ctx) => ctx.binding<typeof DB>("DB").name, {
      world: bound(),
      bindings: ["DB"],
    });
    expect(result).toMatchObject({ status: "success", data: "a database" });
  });

  test("that the deployment lacks costs that tool only, before it runs", async () => {
    const { result } = await runTool(() => "never", { bindings: ["DB"] });
    expect(result).toMatchObject({
      status: "error",
      error: { code: "MISCONFIGURED", hint: expect.stringContaining("no binding DB") },
    });
  });

  test("that is not declared is the author's mistake", async () => {
    const { result, lines } = await runTool((ctx) => ctx.binding("DB"), { world: bound() });
    expect(result.error!.code).toBe("TOOL_FAILED");
    expect(lines).toMatchObject([
      { error: { message: "Cannot use binding 'DB': tool 'tool' does not declare it" } },
    ]);
  });

  test.each<[string, (ctx: ToolContext) => unknown, object]>([
    [
      "that breaks after it took one",
      (ctx) => Promise.reject(new Error(String(ctx.binding("DB")))),
      { status: "unknown" },
    ],
    ["that hangs with one", (ctx) => new Promise(() => void ctx.binding("DB")), { status: "unknown" }],
    ["that hangs without", () => new Promise(() => {}), { status: "error", error: { code: "TIMEOUT" } }],
    [
      "that took one and then says what is wrong",
      (ctx) => Promise.reject(new ToolFailure("NOT_FOUND", { hint: String(ctx.binding("DB")) })),
      { status: "error", error: { code: "NOT_FOUND" } },
    ],
  ])("of a write %s leaves no more certainty than there is", async (_, run, expected) => {
    const { result } = await runTool(run, { world: bound(), bindings: ["DB"], isWrite: true });
    expect(result).toMatchObject(expected);
  });
});

describe("a write that declares no host, binding or account", () => {
  test.each<[string, () => unknown, object]>([
    ["breaks", () => Promise.reject(new Error("socket closed")), { status: "unknown" }],
    ["hangs", () => new Promise(() => {}), { status: "unknown", error: { code: "TIMEOUT" } }],
    [
      "says itself what is wrong",
      () => Promise.reject(new ToolFailure("NOT_FOUND")),
      { status: "error", error: { code: "NOT_FOUND" } },
    ],
  ])("acts by ways of its own, and may have done so when it %s", async (_, run, expected) => {
    const { result } = await runTool(run, { hosts: [], isWrite: true });
    expect(result).toMatchObject(expected);
  });
});

describe("secrets of a tenant", () => {
  const lookingUp = (find: (name: string, tenant: string) => unknown) => {
    const asked: string[] = [];
    const secretOf: Ports["secretOf"] = (name, { tenant, key }) => {
      asked.push(`${name} ${tenant} ${key}`);
      return find(name, tenant);
    };
    return { asked, ports: { secretOf } };
  };

  test("are looked up once for a call, however often it is tried and they are read", async () => {
    const { asked, ports } = lookingUp((name) => Promise.resolve(`${name}-of-acme`));
    let tries = 0;
    const { result } = await runTool(
      (ctx) => {
        tries += 1;
        ctx.secret("KEY");
        if (tries === 1) throw new ToolFailure("UPSTREAM_ERROR", { retryable: true });
        return ctx.secret("KEY").length;
      },
      {
        ports,
        secrets: ["KEY"],
        orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 1 } },
      },
    );
    expect([tries, result.data, asked]).toEqual([2, "KEY-of-acme".length, ["KEY acme tester"]]);
  });

  test("are not looked up for a tool that declares none", async () => {
    const { asked, ports } = lookingUp(() => "x");
    await runTool(() => "done", { ports });
    expect(asked).toEqual([]);
  });

  test.each([undefined, null, ""])("that are %j are the deployment's", async (none) => {
    const world = new TestWorld();
    world.secrets.set("KEY", "the deployment's");
    const { ports } = lookingUp(() => none);
    const { result } = await runTool((ctx) => ctx.secret("KEY").length, { world, ports, secrets: ["KEY"] });
    expect(result.data).toBe("the deployment's".length);
  });

  test("are kept out of the tool's output", async () => {
    const { ports } = lookingUp(() => SECRET);
    const { result } = await runTool(
      (ctx) => ({ sent: btoa(`u:${ctx.secret("KEY")}`), raw: ctx.secret("KEY") }),
      { ports, secrets: ["KEY"] },
    );
    expect(result.data).toMatchObject({ raw: "[redacted]" });
    expect(JSON.stringify(result)).not.toContain(btoa(SECRET).slice(4, -4));
  });

  test("that cannot be looked up cost their tool only, before it runs; the operator is told why", async () => {
    const { ports } = lookingUp(() => Promise.reject(new RangeError("The vault is shut")));
    const { result, lines } = await runTool(() => "never", { ports, secrets: ["KEY"] });
    expect(result).toMatchObject({ status: "error", meta: { attempts: 0 } });
    expect(JSON.stringify(result)).not.toContain("vault");
    expect(lines).toMatchObject([
      {
        level: "error",
        event: "secret_lookup_failed",
        secret: "KEY",
        error: { name: "RangeError", message: "The vault is shut" },
      },
    ]);
  });

  test("that take too long end their call by its own clock, and nothing was sent", async () => {
    const { ports } = lookingUp(() => new Promise(() => {}));
    const { result } = await runTool(() => "never", {
      ports,
      secrets: ["KEY"],
      isWrite: true,
      timeoutMs: 300,
    });
    expect(result).toMatchObject({
      status: "error",
      error: { code: "TIMEOUT" },
      meta: { duration_ms: 300, attempts: 0 },
    });
  });

  test("a job's later attempt looks up for the tenant that asked for it, and logs its request", async () => {
    const world = new TestWorld();
    const { asked, ports } = lookingUp((_, tenant) => `secret of ${tenant}`);
    const mail = contractOf("mail", {
      isWrite: true,
      execution: "fire-and-forget",
      secrets: ["KEY"],
      run: async (_, ctx) => {
        ctx.log(ctx.caller.tenant);
        throw new Error("again");
      },
    });
    const given = { ...world.ports, ...ports };
    await world.run([mail], { actions: [{ tool: "mail" }] }, { ports: given });
    await world.drain();
    const { spec } = world.gate.requests.flatMap(({ jobs }) => jobs)[0]!;
    expect(spec.origin).toMatchObject({ tenant: "acme", key: "tester", requestId: "request-1" });
    world.logged.length = asked.length = 0;

    const { options, catalog, upstreams } = world.execution([mail]);
    const scope = {
      origin: { tenant: "", key: "", requestId: "" },
      ports: given,
      options,
      ...upstreams,
      cache: null,
      slots: new Semaphore(1),
      budget: new ByteBudget(1_000),
    };
    const again = runAttempt({ spec, attempt: 2, fence: 2 }, catalog.get(spec.tool), {
      scope,
      budgetMs: 10_000,
    });
    expect(await world.clock.runUntil(again)).toMatchObject({ kind: "failed" });
    expect(asked).toEqual(["KEY acme tester"]);
    expect(world.logged.map(({ json }) => JSON.parse(json) as object)).toMatchObject([
      { event: "tool_log", message: "acme", request_id: "request-1" },
      { event: "tool_failed", tenant: "acme", key: "tester", request_id: "request-1" },
    ]);
  });
});

test("a write is in no doubt once its service answered that it failed, whatever the status", async () => {
  const world = new TestWorld();
  world.fetch = async () => Response.json({ failed: true });
  const write = async (thrown: unknown) => {
    const { result } = await runTool(
      async ({ fetch }) => {
        await fetch("https://a.example.com/", { method: "POST" });
        throw thrown;
      },
      { world, isWrite: true, hosts: ["a.example.com"] },
    );
    return result;
  };
  expect(await write(new AnsweredFailure("TOOL_FAILED", { hint: "Do it otherwise." }))).toMatchObject({
    status: "error",
    error: { code: "TOOL_FAILED", retryable: false, hint: "Do it otherwise." },
  });
  expect(await write(new AnsweredFailure("UPSTREAM_ERROR"))).toMatchObject({
    status: "error",
    error: { code: "UPSTREAM_ERROR", retryable: false },
  });
  expect(await write(new ToolFailure("TOOL_FAILED"))).toMatchObject({ status: "unknown" });
});

describe("ctx.time", () => {
  test("says when a call began as the time at which it was asked for", async () => {
    const world = new TestWorld();
    const beganAt = world.clock.now();
    const run = async (ctx: ToolContext) => {
      await ctx.time.sleep(50);
      return [ctx.time.askedAt() - beganAt, ctx.time.now() - beganAt];
    };
    const { result } = await runTool(run, { world });
    expect(result.data).toEqual([0, 50]);
  });

  test("is the time of the deployment's clock", async () => {
    const world = new TestWorld();
    const { result } = await runTool((ctx) => ctx.time.now(), { world });
    expect(result.data).toBe(world.clock.now());
  });
});

describe("ctx.conceal", () => {
  const derive = (ctx: ToolContext): string => {
    const token = `token-of-${ctx.secret("KEY")}`;
    ctx.conceal(token);
    return token;
  };
  const withKey = (): { readonly world: TestWorld; readonly secrets: readonly string[] } => {
    const world = new TestWorld();
    world.secrets.set("KEY", "k3y-of-ours");
    return { world, secrets: ["KEY"] };
  };

  test("keeps what was made with a secret out of output and log, however it is written", async () => {
    const { result, lines } = await runTool((ctx) => {
      ctx.log("before");
      const token = derive(ctx);
      ctx.log(token, { auth: btoa(`Bearer ${token}`) });
      return { token, hex: Buffer.from(token).toString("hex"), key: ctx.secret("KEY") };
    }, withKey());
    expect(result.data).toEqual({ token: "[redacted]", hex: "[redacted]", key: "[redacted]" });
    expect(lines[1]).toMatchObject({ message: "[redacted]" });
    expect(JSON.stringify(lines)).not.toContain(btoa("token-of-k3y-of-ours").slice(4, -4));
  });

  test("keeps it out of what a tool says of its failure, and of a bug", async () => {
    const { result } = await runTool((ctx) => {
      throw new ToolFailure("UPSTREAM_ERROR", { hint: `It refused ${derive(ctx)}.` });
    }, withKey());
    expect(result.error!.hint).toBe("It refused [redacted].");
    const { lines } = await runTool((ctx) => {
      throw new Error(derive(ctx));
    }, withKey());
    expect(lines).toMatchObject([{ event: "tool_failed", error: { message: "[redacted]" } }]);
  });

  test("takes out the latest of several, and those before", async () => {
    const { result } = await runTool((ctx) => {
      for (const token of ["first-token", "second-token"]) ctx.conceal(token);
      return ["first-token", "second-token"];
    });
    expect(result.data).toEqual(["[redacted]", "[redacted]"]);
  });
});

describe("ctx.request", () => {
  test("is the same for every call of a batch, and another's in another; there is nothing in it", async () => {
    const seen: object[] = [];
    const tool = contractOf("tool", { isWrite: true, run: async (_, ctx) => seen.push(ctx.request) });
    const world = new TestWorld();
    await world.run([tool], { actions: [{ tool: "tool" }, { tool: "tool", for_each: [1, 2] }] });
    await world.run([tool], { actions: [{ tool: "tool" }] });
    expect(seen).toHaveLength(4);
    expect(new Set(seen.slice(0, 3)).size).toBe(1);
    expect(seen[3]).not.toBe(seen[0]);
    expect(Object.isFrozen(seen[0]) && Reflect.ownKeys(seen[0]!).length === 0).toBe(true);
  });
});

describe("A request that changes nothing", () => {
  const write = (request: UpstreamRequest, answer: () => Response | Promise<Response>) =>
    runTool((ctx) => ctx.fetch("https://api.example.com/x", request), {
      isWrite: true,
      hosts: ["api.example.com"],
      ports: { fetch: async () => answer() },
    });
  const lost = (): Response => {
    throw new TypeError("connection reset");
  };

  test("leaves a write that failed on it not done, whatever became of it", async () => {
    const { result } = await write({ method: "POST", changesNothing: true }, lost);
    expect(result).toMatchObject({ status: "error", error: { code: "UPSTREAM_ERROR" } });
  });

  test("is nothing that others are: they leave it unknown", async () => {
    expect((await write({ method: "POST" }, lost)).result.status).toBe("unknown");
  });

  test("takes nothing back that was sent before it", async () => {
    const { result } = await runTool(
      async (ctx) => {
        await ctx.fetch("https://api.example.com/write", { method: "POST" });
        await ctx.fetch("https://api.example.com/look", { changesNothing: true });
      },
      {
        isWrite: true,
        hosts: ["api.example.com"],
        ports: { fetch: async (url) => (url.endsWith("/look") ? lost() : Response.json({})) },
      },
    );
    expect(result.status).toBe("unknown");
  });
});
