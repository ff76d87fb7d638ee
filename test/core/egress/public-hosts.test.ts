import { createHmac } from "node:crypto";
import * as z from "zod";
import { describe, expect, it } from "vitest";
import { defineTool, PUBLIC_HOSTS, type ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { toDeclarationText } from "../../../src/core/catalog/tool-schema.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { guardPublicUrl, checkHosts } from "../../../src/core/egress/guard-url.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { declareTool } from "../../support/sample-tools.ts";

const NONE: ReadonlySet<string> = new Set();

/** A tool that goes where it is told, and says what came of it. */
function roam(run: ToolDeclaration["run"], changes: Partial<ToolDeclaration> = {}) {
  return defineTool(
    declareTool({ name: "roam", input: z.strictObject({}), hosts: PUBLIC_HOSTS, ...changes, run }),
  );
}

const get = (url: string) => roam(async (_, ctx) => (await ctx.fetch(url)).text());

async function runIn(world: TestWorld, tool: ReturnType<typeof roam>, args: object = {}) {
  const { results } = await world.run([tool], { actions: [{ tool: tool.name, args }] });
  return results[0]!;
}

describe("a tool with public hosts", () => {
  it("reaches any public host over https", async () => {
    const world = new TestWorld();
    world.fetch = async (url) => new Response(url);
    expect(await runIn(world, get("https://anything.example.com/a?b=1"))).toMatchObject({
      status: "success",
      data: "https://anything.example.com/a?b=1",
    });
  });

  it.each([
    "http://www.wikipedia.org/",
    "ftp://www.wikipedia.org/",
    "https://user:pass@www.wikipedia.org/",
    "https://user@www.wikipedia.org/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:7f00:1]/",
    "https://169.254.169.254/latest/meta-data/",
    "https://metadata.google.internal/",
    "https://localhost/",
    "https://intranet/",
    "https://printer.local/",
    "https://db.internal/",
    "https://127.0.0.1.nip.io/",
    "https://site.test/",
    "https://www.wikipedia.org./",
    "https://www.wikipedia.org:8443/",
    "https://www.wikipedia.org:22/",
    "data:text/html,hello",
    "file:///etc/passwd",
    "not a url",
    "//www.wikipedia.org/",
  ])("T09 does not reach %s, and sends nothing", async (url) => {
    const world = new TestWorld();
    let sent = 0;
    world.fetch = async () => (sent++, new Response());
    const { status, error } = await runIn(world, get(url));
    expect({ status, code: error?.code, sent }).toEqual({ status: "error", code: "EGRESS_DENIED", sent: 0 });
  });

  it.each(["https://10.0.0.1/", "http://elsewhere.org/", "https://elsewhere.org:444/", "https://box.lan/"])(
    "T10 does not follow a redirect to %s",
    async (location) => {
      const world = new TestWorld();
      const sent: string[] = [];
      world.fetch = async (url) => {
        sent.push(url);
        return new Response(null, { status: 302, headers: { location } });
      };
      expect(await runIn(world, get("https://start.org/"))).toMatchObject({
        status: "error",
        error: { code: "EGRESS_DENIED" },
      });
      expect(sent).toEqual(["https://start.org/"]);
    },
  );

  it("is told the address that answered in the end", async () => {
    const world = new TestWorld();
    world.fetch = async (url) =>
      url === "https://start.org/"
        ? new Response(null, { status: 301, headers: { location: "https://end.org/a" } })
        : new Response("there");
    const tool = roam(async (_, ctx) => (await ctx.fetch("https://start.org/")).url);
    expect(await runIn(world, tool)).toMatchObject({ data: "https://end.org/a" });
  });

  it("may go to a trusted origin, whatever it is", () => {
    const trusted = new Set(["http://127.0.0.1:9000"]);
    expect(guardPublicUrl("http://127.0.0.1:9000/x", trusted).ok).toBe(true);
    expect(guardPublicUrl("http://127.0.0.1:9001/x", trusted).ok).toBe(false);
    expect(guardPublicUrl("http://127.0.0.1:9000/x", NONE).ok).toBe(false);
  });

  it("cannot read the secrets that it declares, only sign with them", async () => {
    const world = new TestWorld();
    world.secrets.set("KEY", `whsec_${Buffer.alloc(32, 7).toString("base64")}`);
    const reads = roam(async (_, ctx) => ctx.secret("KEY"), { secrets: ["KEY"] });
    expect(await runIn(world, reads)).toMatchObject({ status: "error", error: { code: "TOOL_FAILED" } });
    expect(world.logged[0]!.json).toContain("it only signs");
    const signs = roam(async (_, ctx) => ctx.sign("KEY", "text"), { secrets: ["KEY"] });
    expect(await runIn(world, signs)).toMatchObject({
      status: "success",
      data: [createHmac("sha256", Buffer.alloc(32, 7)).update("text").digest("base64")],
    });
  });

  it.each(["plain text", "whsec_c2hvcnQ="])("signs with nothing but a webhook secret: %s", async (secret) => {
    const world = new TestWorld();
    world.secrets.set("KEY", secret);
    const { error } = await runIn(
      world,
      roam(async (_, ctx) => ctx.sign("KEY", "text"), { secrets: ["KEY"] }),
    );
    expect(error).toMatchObject({ code: "MISCONFIGURED", hint: expect.stringContaining("KEY") });
    expect(error!.hint).not.toContain(secret);
  });

  it("has no breaker: no caller can close a host to the others", async () => {
    const world = new TestWorld();
    world.fetch = async () => new Response(null, { status: 500 });
    const tool = get("https://down.org/");
    const codes = new Set<string>();
    for (let call = 0; call < 2 * LIMITS.breakerCalls; call += 1)
      codes.add((await runIn(world, tool)).error!.code);
    expect([...codes]).toEqual(["UPSTREAM_ERROR"]);
  });

  it("is said to be so where a person confirms it", () => {
    expect(toDeclarationText(get("https://a.org/"))).toContain('"hosts":"public"');
  });

  it("names no host that could be checked when the Worker starts", () => {
    expect(() => checkHosts([get("https://a.org/")], NONE)).not.toThrow();
  });

  it.each(["*", "PUBLIC", "public.example.com"])("is not what '%s' declares", (hosts) => {
    expect(() => roam(async () => null, { hosts: hosts as typeof PUBLIC_HOSTS })).toThrow(/'hosts' must be/);
  });
});

describe("a request", () => {
  it("has a time of its own, which costs its siblings nothing", async () => {
    const world = new TestWorld();
    world.fetch = (url, init) =>
      url.endsWith("/hangs")
        ? new Promise((_, reject) =>
            init.signal!.addEventListener("abort", () => reject(init.signal!.reason)),
          )
        : Promise.resolve(new Response("quick"));
    const tool = roam(async (_, ctx) => {
      const ask = (path: string) => ctx.fetch(`https://a.org/${path}`, { timeoutMs: 2_000 });
      const asked = await Promise.allSettled([ask("hangs"), ask("quick"), ask("hangs")]);
      const again = await ask("quick");
      return [...asked.map(({ status }) => status), again.text(), ctx.time.leftMs()];
    });
    expect(await runIn(world, tool)).toMatchObject({
      status: "success",
      data: ["rejected", "fulfilled", "rejected", "quick", LIMITS.toolTimeoutMs - 2_000],
    });
  });

  it("has that time from when it is sent: the wait for a header slot is not its own", async () => {
    const world = new TestWorld();
    world.fetch = async () => {
      await new Promise<void>((resolve) => void world.clock.after(900, resolve));
      return new Response("done");
    };
    const tool = roam(async (_, ctx) => {
      const asked = Array.from({ length: 18 }, (_, n) =>
        ctx.fetch(`https://a.org/${n}`, { timeoutMs: 1_000 }),
      );
      return (await Promise.allSettled(asked)).filter(({ status }) => status === "fulfilled").length;
    });
    expect(await runIn(world, tool)).toMatchObject({ data: 18 });
  });

  it("ends with its call, whatever time of its own it has", async () => {
    const world = new TestWorld();
    let aborted = false;
    world.fetch = (_, init) =>
      new Promise((_resolve, reject) =>
        init.signal!.addEventListener("abort", () => ((aborted = true), reject(init.signal!.reason))),
      );
    const tool = roam(async (_, ctx) => ctx.fetch("https://a.org/", { timeoutMs: 60_000 }), {
      timeoutMs: 1_000,
    });
    expect(await runIn(world, tool)).toMatchObject({ error: { code: "TIMEOUT" } });
    expect(aborted).toBe(true);
  });

  it("that reads a status follows no redirect and reads no body", async () => {
    const world = new TestWorld();
    let cancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
      cancel: () => void (cancelled = true),
    });
    world.fetch = async (url) =>
      url.endsWith("/moved")
        ? new Response(null, { status: 302, headers: { location: "https://b.org/" } })
        : new Response(endless, { status: 206 });
    const ask = (path: string) =>
      roam(async (_, ctx) => {
        const response = await ctx.fetch(`https://a.org/${path}`, { reads: "status" });
        return [response.status, response.text(), response.bytes().length];
      });
    expect(await runIn(world, ask("endless"))).toMatchObject({ data: [206, "", 0] });
    expect(cancelled).toBe(true);
    expect(await runIn(world, ask("moved"))).toMatchObject({
      error: { code: "UPSTREAM_ERROR", upstream_status: 302, retryable: false },
    });
  });

  it("that reads bytes is given them as they came, within the same limits", async () => {
    const world = new TestWorld();
    const all = Uint8Array.from({ length: 256 }, (_, code) => code);
    world.fetch = async (url) => {
      const chunks = url.endsWith("/large") ? 9 : 2;
      return new Response(
        new ReadableStream({
          start(controller) {
            for (let chunk = 0; chunk < chunks; chunk += 1) controller.enqueue(all.slice());
            controller.close();
          },
        }),
        { headers: { "content-type": "text/plain; charset=no-such-thing" } },
      );
    };
    const ask = (path: string) =>
      roam(
        async (_, ctx) => {
          const response = await ctx.fetch(`https://a.org/${path}`, { reads: "bytes" });
          return [...response.bytes()];
        },
        { maxResponseBytes: 1_024 },
      );
    expect(await runIn(world, ask("small"))).toMatchObject({ data: [...all, ...all] });
    expect(await runIn(world, ask("large"))).toMatchObject({ error: { code: "RESPONSE_TOO_LARGE" } });
  });
});

it("ToolFailure is what a denied address throws inside a tool", async () => {
  const world = new TestWorld();
  const tool = roam(async (_, ctx) =>
    ctx.fetch("https://10.1.2.3/").catch((error: unknown) => error instanceof ToolFailure),
  );
  expect(await runIn(world, tool)).toMatchObject({ data: true });
});
