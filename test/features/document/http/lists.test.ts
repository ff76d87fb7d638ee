import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";

import { defineTool, type ToolDeclaration } from "../../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import * as ENDPOINTS_LIMITS from "../../../../src/features/endpoints/limits.ts";
import { createSignInStore } from "../../../../src/features/sign-in/objects/sign-in-store.ts";
import { keyPrefix } from "../../../../src/features/sign-in/sign-in.ts";
import { type SignInStoreMethods } from "../../../../src/features/sign-in/store-methods.ts";
import { createMemoryObjects } from "../../../../src/package/testing/memory-objects.ts";
import { createTestVolley, type TestVolley, VirtualClock } from "../../../../src/package/testing.ts";
import { readOperations } from "../../../support/api-document.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { trial } from "../../../support/trial.ts";

/** Text that takes six bytes for each of its characters where it is written as JSON. */
const control = (length: number): string => "\u0001".repeat(length);

const toolOf = (name: string, declared: Partial<ToolDeclaration> = {}) =>
  defineTool({
    name,
    summary: "Do it",
    description: "Do it.",
    category: "notes",
    actions: ["read"],
    isWrite: false,
    execution: "sync",
    input: z.strictObject({ text: z.optional(z.string()) }),
    hosts: ["notes.dev"],
    orchestration: { mode: "parallel-safe" },
    run: async () => ({}),
    ...declared,
  });

const noting = toolOf("note_it", {
  actions: ["create"],
  isWrite: true,
  execution: "fire-and-forget",
  run: async (_, ctx) => (await ctx.fetch("https://notes.dev/", { method: "POST" })).json(),
});
const dropping = toolOf("drop_it", { actions: ["delete"], isWrite: true });
const ECHO_NAMES = Array.from(
  { length: 50 },
  (_, n) => `echo_${String(n).padStart(2, "0")}_${"x".repeat(50)}`,
);
const echoes = ECHO_NAMES.map((name) => toolOf(name));

const signInClock = new VirtualClock(0);
const signIns = createMemoryObjects(createSignInStore(undefined, signInClock), signInClock, () => ({}));

/** A Volley with all features, whose key may do everything. */
const openVolley = () =>
  createTestVolley({
    tools: [noting, dropping, ...echoes],
    features: ALL_FEATURES,
    key: {
      quota: { limit: 100_000, window_s: 60 },
      flags: ["approve", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections"],
    },
    routes: {
      "POST https://notes.dev/": () => new Response(control(2_000), { status: 400 }),
      "POST https://shop.dev/": () => new Response(control(2_000), { status: 500 }),
    },
    env: {
      SIGN_INS: signIns,
      VOLLEY_RETURN_ORIGINS: "https://app.dev",
      VOLLEY_CONNECTORS: JSON.stringify({
        crm: { kind: "key", as: { header: "x-api-key" }, hosts: ["api.acme.dev"] },
      }),
      VOLLEY_VAULT_KEY: Buffer.alloc(32).toString("base64"),
    },
  });

const send = async (volley: TestVolley, route: string, body?: object): Promise<unknown> => {
  const [method = "", path = ""] = route.split(" ");
  const headers = { "content-type": "application/json" };
  const answer = await volley.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  expect([route, answer.status, answer.status < 300 ? "" : text]).toEqual([route, answer.status, ""]);
  return text === "" ? null : JSON.parse(text);
};

const times = async (count: number, make: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 0; n < count; n += 1) await make(n);
};

const named = (n: number): string => `n${String(n).padStart(3, "0")}`;

interface Filling {
  /** Make so many entries as large as the API takes them. */
  readonly count: number;
  readonly make: (volley: TestVolley, count: number) => Promise<unknown>;
  /** A page of a hundred would be larger than a page may be. */
  readonly isLarge: boolean;
}

/** The way to fill each list. One that the document has and this has not fails the first test. */
const FILLINGS: Readonly<Record<string, Filling>> = {
  "/v1/jobs": {
    count: 60,
    isLarge: false,
    make: (volley, count) =>
      times(count, (n) =>
        volley.run({ actions: [{ tool: "note_it", args: { text: named(n) } }], tags: ["x".repeat(64)] }),
      ),
  },
  "/v1/confirmations": {
    count: 90,
    isLarge: true,
    make: (volley, count) => {
      const waiting = Array.from({ length: 49 }, () => ({
        tool: "drop_it",
        args: { text: "x".repeat(400) },
        depends_on: ["first"],
      }));
      return times(count, (n) =>
        volley.run({ actions: [{ id: "first", tool: "drop_it", args: { text: named(n) } }, ...waiting] }),
      );
    },
  },
  "/v1/remembered": {
    count: 25,
    isLarge: false,
    make: (volley, count) =>
      times(count, async (n) => {
        const actions = [{ tool: "drop_it", args: { text: `${named(n)}${control(300)}` } }];
        const [asked] = (await volley.run({ actions })).results as unknown as [
          { readonly confirmation: { readonly id: string } },
        ];
        const decided = await volley.fetch(`/v1/confirmations/${asked.confirmation.id}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ decision: "approve", remember_s: 86_400 }),
        });
        expect(decided.status).toBe(200);
      }),
  },
  "/v1/sign_ins": {
    count: 30,
    isLarge: false,
    make: async (_, count) => {
      const store = signIns.get(signIns.idFromName("sign-ins 0")) as {
        write(...asked: Parameters<SignInStoreMethods["write"]>): Promise<string>;
      };
      const owner = `${keyPrefix({ tenant: "test", key: "test" })}0`;
      await times(count, async (n) => {
        await signInClock.advance(n % 2);
        const id = named(n).padStart(16, "0");
        const metadata = { client_name: control(500), key: "test" };
        const value = { id, clientId: control(200), scope: ["tools"], metadata };
        const options = { metadata: null, expiresAtMs: null, expected: null, unused: false };
        expect(await store.write(`grant:${owner}:${id}`, JSON.stringify(value), options)).toBe("written");
      });
    },
  },
  "/v1/keys": {
    count: 60,
    isLarge: false,
    make: (volley, count) =>
      times(count, (n) => send(volley, "POST /v1/keys", { name: named(n), tools: ECHO_NAMES })),
  },
  "/v1/runs": {
    count: 60,
    isLarge: false,
    make: async (volley, count) => {
      const actions = ECHO_NAMES.map((tool) => ({ tool }));
      const tags = Array.from({ length: LIMITS.runTags }, (_, n) => `t${n}${"x".repeat(60)}`);
      await times(count, () => volley.run({ actions, tags }));
      await volley.advance(60_000);
    },
  },
  "/v1/endpoints": {
    count: 90,
    isLarge: true,
    make: (volley, count) =>
      times(count, (n) =>
        send(volley, `PUT /v1/endpoints/${named(n)}`, {
          url: "https://shop.dev/",
          events: Array.from({ length: 60 }, (_, at) => `${"x".repeat(240)}${at}`),
        }),
      ),
  },
  "/v1/deliveries": {
    count: 90,
    isLarge: true,
    make: async (volley, count) => {
      for (const id of ["a", "b"])
        await send(volley, `PUT /v1/endpoints/${id}`, { url: "https://shop.dev/", events: ["x"] });
      await times(count / 2, (n) => send(volley, "POST /v1/events", { type: "x", data: { n } }));
      await volley.advance(4 * 86_400_000);
    },
  },
  "/v1/events": {
    count: 30,
    isLarge: true,
    make: (volley, count) =>
      times(count, (n) =>
        send(volley, "POST /v1/events", { type: "x", data: { n, text: "é".repeat(30_000) } }),
      ),
  },
  "/v1/event_types": {
    count: 40,
    isLarge: true,
    make: (volley, count) =>
      times(count, (n) =>
        send(volley, `PUT /v1/event_types/${named(n)}`, {
          description: "A type",
          schema: { type: "object", description: "x".repeat(120_000) },
        }),
      ),
  },
  "/v1/connections": {
    count: 60,
    isLarge: false,
    make: (volley, count) =>
      times(count, (n) =>
        send(volley, "POST /v1/connections", {
          connector: "crm",
          subject: named(n).padEnd(255, "x"),
          secret: "k-1234567890",
        }),
      ),
  },
};

const volley = await openVolley();
const operations = readOperations(await (await volley.fetch("/openapi.json")).text());
/** Every list: whatever takes `limit` and `cursor`. */
const LISTS = operations
  .filter(({ method, parameters = [] }) => {
    const names = parameters.map(({ name }) => name);
    return method === "GET" && names.includes("limit") && names.includes("cursor");
  })
  .map(({ path }) => path);

/** The sizes of what objects answered, which tests copy as the platform does. */
function watchAnswers(): number[] {
  const sizes: number[] = [];
  const clone = structuredClone;
  vi.spyOn(globalThis, "structuredClone").mockImplementation((value: unknown) => {
    sizes.push(JSON.stringify(value)?.length ?? 0);
    return clone(value);
  });
  return sizes;
}

interface WalkedPage {
  readonly bytes: number;
  readonly entries: readonly string[];
}

/** Read a list to its end. */
async function walk(of: TestVolley, path: string, limit: number): Promise<WalkedPage[]> {
  const pages: WalkedPage[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await of.fetch(`${path}?limit=${limit}${after}`);
    const text = await answer.text();
    expect([answer.status, answer.status === 200 ? "" : text]).toEqual([200, ""]);
    const page = JSON.parse(text) as Readonly<Record<string, unknown>> & {
      readonly next_cursor: string | null;
    };
    const [entries = []] = Object.values(page).filter(Array.isArray) as unknown[][];
    pages.push({ bytes: Buffer.byteLength(text), entries: entries.map((entry) => JSON.stringify(entry)) });
    cursor = page.next_cursor;
  } while (cursor !== null);
  return pages;
}

describe("Every list", () => {
  afterEach(() => void vi.restoreAllMocks());

  test("is one of these", () => {
    expect([...LISTS].sort()).toEqual(Object.keys(FILLINGS).sort());
  });

  trial.each(LISTS)(
    "has each entry once, in one order, and no page of it is too large, nor what an object deals for one: %s",
    async (path) => {
      const { count, make, isLarge } = FILLINGS[path]!;
      const filled = await openVolley();
      await make(filled, count);
      const answers = watchAnswers();
      const single = (await walk(filled, path, 1)).map(({ entries }) => entries);
      expect(single.every((entries) => entries.length <= 1)).toBe(true);
      const all = single.flat();
      expect([new Set(all).size, all.length]).toEqual([count, count]);
      for (const limit of [7, LIMITS.maxJobPage]) {
        const pages = await walk(filled, path, limit);
        expect(pages.flatMap(({ entries }) => entries)).toEqual(all);
        for (const { bytes, entries } of pages) {
          expect(entries.length).toBeLessThanOrEqual(limit);
          if (entries.length > 1) expect(bytes).toBeLessThanOrEqual(LIMITS.pageBytes);
        }
        const isCut = pages.slice(0, -1).some(({ entries }) => entries.length < limit);
        if (limit === LIMITS.maxJobPage) expect(isCut).toBe(isLarge);
      }
      // A page, and its envelope.
      expect(Math.max(...answers)).toBeLessThanOrEqual(LIMITS.pageBytes + 1_024);
    },
    120_000,
  );

  trial("is read where each of its entries is allowed and all of them are 60 MB", async () => {
    const { make } = FILLINGS["/v1/event_types"]!;
    const filled = await openVolley();
    await make(filled, ENDPOINTS_LIMITS.eventTypes);
    const pages = await walk(filled, "/v1/event_types", LIMITS.maxJobPage);
    expect(pages.every(({ bytes }) => bytes <= LIMITS.pageBytes)).toBe(true);
    expect(new Set(pages.flatMap(({ entries }) => entries)).size).toBe(ENDPOINTS_LIMITS.eventTypes);
  });
});
