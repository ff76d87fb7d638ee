import { expect, test } from "vitest";

import { joinPages } from "../../../../scripts/command/join-pages.ts";
import { RESTORES } from "../../../../scripts/command/restore-list.ts";
import type { RestoreStep } from "../../../../src/core/contract/restore-step.ts";
import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { endpoints } from "../../../../src/features/endpoints/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { operator } from "../../../../src/features/operator/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { tenantData } from "../../../../src/features/tenant-data/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { openBookings, TOOLS } from "../../undo/http/bookings.ts";
import { DECLARATION, sendIt } from "../../runs/http/store-tools.ts";
import { trial } from "../../../support/trial.ts";

type Document = Readonly<Record<string, unknown>>;

const store = defineTool({ ...DECLARATION, name: "store_it", run: sendIt });

const open = async (more: object = {}): Promise<TestVolley> =>
  createTestVolley({
    tools: [store],
    features: [
      discovery(),
      addedTools(),
      background(),
      confirmations(),
      flows(),
      keys(),
      endpoints(),
      runs(),
      undo(),
      operator(),
      tenantData(),
    ],
    routes: {
      "POST https://api.example.com/*": ({ url }) => ({ url }),
      "POST https://shop.dev/*": () => ({}),
    },
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": {
          name: "admin",
          tenant: "acme",
          flags: ["approve", "manage_tools", "manage_keys", "manage_endpoints"],
          quota: { limit: 10_000, window_s: 60 },
        },
      }),
    },
    ...more,
  });

const send = async (volley: TestVolley, method: string, path: string, body?: object) => {
  const answer = await volley.fetch(path, {
    method,
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text === "" ? {} : JSON.parse(text)) as Document };
};
const must = async (...args: Parameters<typeof send>): Promise<Document> => {
  const { status, body } = await send(...args);
  if (status >= 300) throw new Error(`${args[1]} ${args[2]}: ${status} ${JSON.stringify(body)}`);
  return body;
};

/** Give a tenant one of everything that an export has and can be put back. */
async function fill(volley: TestVolley): Promise<void> {
  const put = (path: string, body: object) => must(volley, "PUT", path, body);
  const declaration = {
    summary: "Look up",
    description: "Look it up.",
    category: "lookups",
    actions: ["read"],
    is_write: false,
    input_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    http: { method: "GET", url: "https://api.example.com/lookup" },
  };
  await put("/v1/tools/look_up", declaration);
  const actions = [{ id: "one", tool: "look_up", args: { n: 1 } }];
  const input_schema = { type: "object", properties: {} };
  await put("/v1/flows/looks", { summary: "Look", input_schema, actions, answer: { $ref: "one#/n" } });
  await must(volley, "POST", "/v1/keys", {
    name: "of-ada",
    tools: ["look_up"],
    subject: "ada",
    flags: ["approve"],
    quota: { limit: 7, window_s: 30 },
    expires_at: "2027-01-01T00:00:00Z",
  });
  const turning = { name: "turning", tools: ["*"], flags: ["manage_tools"] };
  await must(volley, "POST", "/v1/keys", turning);
  await must(volley, "POST", "/v1/keys", { name: "turning", overlap_s: 60 });
  await volley.advance(120_000);
  await must(volley, "POST", "/v1/keys", { name: "turning", overlap_s: 86_400 });
  await put("/v1/event_types/order.paid", {
    description: "An order was paid",
    schema: { type: "object", properties: { total: { type: "number" } } },
    example: { total: 12.5 },
  });
  const endpoint = {
    url: "https://shop.dev/hooks",
    customer: "c_42",
    events: ["order.paid", "invoice.*"],
    filter: { "/total": { gte: 100 } },
    description: "The shop",
    headers: { "x-env": "prod" },
    rate_limit: { limit: 50, window_s: 1 },
    ordered: true,
  };
  await put("/v1/endpoints/shop", endpoint);
  await put("/v1/endpoints/quiet", {
    url: "https://shop.dev/quiet",
    events: ["*"],
    via: "looks",
    paused: true,
  });
  await volley.run({ actions: [{ tool: "store_it", args: { of: "a" } }], tags: ["t"] });
  await volley.advance(3_000);
}

const exportOf = (volley: TestVolley) => must(volley, "GET", "/v1/export");

/** Put an export back as `volley restore` does: what was refused, and what is lost. */
async function restore(volley: TestVolley, backup: Document): Promise<readonly string[]> {
  const named: string[] = [];
  const send1 = async ({ label, requests, lost }: RestoreStep): Promise<void> => {
    let answer: Document = {};
    for (const { method, path, body } of requests) {
      const sent = await send(volley, method, path, body);
      if (sent.status >= 300) return void named.push(`${label}: ${String(sent.body["code"])}`);
      answer = sent.body;
    }
    const why = lost?.(answer) ?? null;
    if (why !== null) named.push(`${label}: ${why}`);
  };
  for (const [field, restoreField] of Object.entries(RESTORES))
    for (const step of restoreField(backup[field], volley.now())) await send1(step);
  return named;
}

/** Fields that say when something was made here, and counts of what ran here. */
const TIMES = ["created_at", "updated_at", "rotated_at", "previous_ends_at", "ends_at", "at", "counts"];

/** An export but for the times of its making: everything else is compared. */
function essence(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essence).toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  // A run that was taken back says so.
  const left = Object.entries(value).filter(([name]) => !TIMES.includes(name) && name !== "imported");
  return Object.fromEntries(left.map(([name, one]) => [name, essence(one)]));
}
const text = (value: unknown): string => JSON.stringify(value);

const NEW_SECRET =
  "it signs with a new secret, because no export has one: rotate it, and give its customer what that answers.";

trial(
  "F39 An export that is put back where nothing is gives the same export, of every kind; what is lost is named",
  async () => {
    const volley = await open();
    await fill(volley);
    const backup = await exportOf(volley);
    const { remembered, ...restored } = backup;
    expect(remembered).toEqual([]);
    for (const [field, list] of Object.entries(restored)) expect([field, list]).not.toEqual([field, []]);
    await must(volley, "POST", "/v1/tenant/delete", { tenant: "acme" });
    expect(await exportOf(volley)).toMatchObject({ tools: [], flows: [], keys: [], runs: [] });
    await volley.advance(1_000);
    expect((await restore(volley, backup)).toSorted()).toEqual([
      `endpoint quiet: ${NEW_SECRET}`,
      `endpoint shop: ${NEW_SECRET}`,
    ]);
    expect(essence(await exportOf(volley))).toEqual(essence(backup));
    // A key that ends soon ends when it would have.
    const ends = (document: Document) =>
      (document["keys"] as { hashes: { ends_at: string | null }[] }[]).flatMap(({ hashes }) =>
        hashes.map(({ ends_at: at }) => (at === null ? null : Date.parse(at))),
      );
    for (const [at, end] of ends(await exportOf(volley)).entries()) {
      const was = ends(backup)[at]!;
      if (was === null) expect(end).toBeNull();
      else expect(was - end!).toSatisfy((ms: number) => ms >= 0 && ms <= 1_000);
    }
    // Run again it finds everything, and nothing is lost.
    expect(await restore(volley, backup)).toEqual([]);
    expect(essence(await exportOf(volley))).toEqual(essence(backup));
  },
);

trial(
  "F39 The pages of an export have everything once, are small each, and put back together they give the same export",
  async () => {
    const volley = await open();
    await fill(volley);
    const large = {
      url: "https://shop.dev/hooks",
      events: Array.from({ length: 99 }, (_, n) => `none.${n}${"x".repeat(130)}`),
    };
    for (let n = 0; n < 90; n += 1) {
      await must(volley, "PUT", `/v1/endpoints/large-${n}`, large);
      await volley.advance(1);
    }
    for (let n = 0; n < 40; n += 1)
      await must(volley, "POST", "/v1/events", { type: "none", data: { n, text: "x".repeat(60_000) } });
    for (let n = 0; n < 12; n += 1) {
      const actions = Array.from({ length: 50 }, () => ({
        tool: "store_it",
        args: { of: `${n}${"x".repeat(3_900)}` },
      }));
      await volley.run({ actions });
      await volley.advance(2_000);
    }
    const read = async () => {
      const pages: Document[] = [];
      for (let query = ""; ;) {
        const page = await must(volley, "GET", `/v1/export${query}`);
        pages.push(page);
        if (page["next_cursor"] === undefined) return pages;
        query = `?cursor=${String(page["next_cursor"])}`;
      }
    };
    const pages = await read();
    // Each of the large lists goes over several pages, and a page has little more than a slice of one.
    for (const field of ["endpoints", "runs"])
      expect(pages.filter((page) => field in page).length).toBeGreaterThan(1);
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(2.5 * 1_048_576);
    const backup = joinPages(pages);
    const { endpoints: lists } = backup as { endpoints: Record<string, readonly { id: string }[]> };
    expect(Object.entries(lists).map(([name, list]) => [name, list.length])).toEqual([
      ["endpoints", 92],
      ["event_types", 1],
      ["events", expect.any(Number)],
    ]);
    expect(
      lists["events"]!.filter((event) => "data" in event && JSON.stringify(event).length > 60_000),
    ).toHaveLength(40);
    expect(backup["runs"]).toHaveLength(13);
    const listed = async () =>
      (await must(volley, "GET", "/v1/endpoints?limit=100"))["endpoints"] as readonly { id: string }[];
    const before = (await listed()).map(({ id }) => id);
    await must(volley, "POST", "/v1/tenant/delete", { tenant: "acme" });
    await volley.advance(1_000);
    const named = await restore(volley, backup);
    expect(named.filter((one) => !one.includes(NEW_SECRET))).toEqual([expect.stringContaining("events: ")]);
    const again = joinPages(await read());
    const withoutEvents = ({ endpoints: all, ...rest }: Document) =>
      essence({ ...rest, endpoints: { ...(all as object), events: [] } });
    expect(withoutEvents(again)).toEqual(withoutEvents(backup));
    // In the order in which they were made.
    expect((await listed()).map(({ id }) => id)).toEqual(before);
  },
);

test("F39 An export of which a page is missing is not put back, at its end or in between", () => {
  const [first, second, third] = [
    { volley_export: 1, keys: [{ name: "a" }], next_cursor: "one" },
    {
      volley_export: 1,
      keys: [{ name: "b" }],
      endpoints: { events: [1] },
      cursor: "one",
      next_cursor: "two",
    },
    { volley_export: 1, endpoints: { events: [2], types: [] }, cursor: "two" },
  ];
  expect(joinPages([first, second, third])).toEqual({
    volley_export: 1,
    keys: [{ name: "a" }, { name: "b" }],
    endpoints: { events: [1, 2], types: [] },
  });
  expect(() => joinPages([first])).toThrow("goes on behind its page 1");
  expect(() => joinPages([first, third])).toThrow("Page 2 is not the one that follows");
  expect(() => joinPages([second, third])).toThrow("Page 1 is not the one that follows");
  // As one was before there were pages.
  expect(joinPages([{ volley_export: 1, keys: [] }])).toEqual({ volley_export: 1, keys: [] });
});

trial(
  "F39 A restore brings back no key that has ended since, and leaves a name that has others as it is",
  async () => {
    const volley = await open();
    await fill(volley);
    const backup = await exportOf(volley);
    const before = (await exportOf(volley))["keys"] as { name: string; hashes: { hash: string }[] }[];
    const old = before.find(({ name }) => name === "turning")!.hashes.map(({ hash }) => hash);
    expect(old).toHaveLength(2);
    // It leaked: both end now.
    await must(volley, "POST", "/v1/keys", { name: "turning", overlap_s: 0 });
    const named = await restore(volley, backup);
    expect(named).toContain("key turning: NAME_TAKEN");
    const after = (await exportOf(volley))["keys"] as typeof before;
    const now = after.find(({ name }) => name === "turning")!.hashes.map(({ hash }) => hash);
    expect(now).toHaveLength(1);
    expect(old).not.toContain(now[0]);
    // The time of one that was to end is over, and so is that of a name.
    await must(volley, "POST", "/v1/tenant/delete", { tenant: "acme" });
    await volley.advance(400 * 86_400_000);
    await restore(volley, backup);
    const late = (await exportOf(volley))["keys"] as typeof before;
    expect(late.map(({ name, hashes }) => [name, hashes.map(({ hash }) => hash)])).toEqual([
      ["turning", [old[1]]],
    ]);
  },
);

test("F39 Events, connections, sign-ins and remembered approvals of an export are named, because none of them can be put back", () => {
  const named = (field: string, exported: unknown) =>
    RESTORES[field]!(exported, 0).map(({ label, requests, lost }) => [label, requests, lost?.({})]);
  const sure = (label: string) => [label, [], expect.any(String)];
  const events = [{ event_id: "1" }, { event_id: "2" }];
  expect(named("endpoints", { endpoints: [], event_types: [], events })).toEqual([sure("2 events")]);
  const connection = { connector: "google", subject: "ada", name: "work" };
  expect(named("connections", [connection])).toEqual([sure("connection google work of ada")]);
  const signIn = { client_name: "Cursor", key: "admin" };
  expect(named("sign_ins", [signIn])).toEqual([sure("sign-in of Cursor with admin")]);
  const remembered = { tool: "pay", key: "agent" };
  expect(named("remembered", [remembered])).toEqual([sure("remembered approval of pay for agent")]);
});

trial(
  "F39 The list of an export and that of a restore are one: each field that the document has, by the feature that fills it",
  async () => {
    const volley = await createTestVolley({ tools: [], features: ALL_FEATURES });
    const { components } = (await (await volley.fetch("/openapi.json")).json()) as {
      components: { schemas: { Export: { properties: object } } };
    };
    const about = ["volley_export", "tenant", "created_at", "cursor", "next_cursor"];
    const fields = Object.keys(components.schemas.Export.properties).filter((one) => !about.includes(one));
    expect(Object.keys(RESTORES).toSorted()).toEqual(fields.toSorted());
    for (const { tenantPart } of ALL_FEATURES)
      if (tenantPart !== undefined)
        expect([tenantPart.field, RESTORES[tenantPart.field]]).toEqual([
          tenantPart.field,
          tenantPart.restore,
        ]);
  },
);

trial(
  "F39 A restored run tells what was taken back as it did, also of what was under way, and is not undone again",
  async () => {
    const bookings = openBookings({ "unbook c": () => Response.json({}, { status: 503 }) });
    const volley = await open({ tools: [store, ...TOOLS], routes: bookings.routes });
    const bookAll = async (...names: readonly string[]): Promise<string> => {
      const actions = names.map((name) => ({ id: name, tool: "book", args: { name } }));
      const { batch_id: id } = await volley.run({ actions });
      await volley.advance(3_000);
      await must(volley, "POST", `/v1/runs/${id}/undo`, {});
      return id;
    };
    const whole = await bookAll("a", "b");
    const open1 = await bookAll("c");
    const read = async (id: string) => {
      const stream = await volley.fetch(`/v1/runs/${id}`, { headers: { accept: "text/event-stream" } });
      const { imported: _, ...run } = await must(volley, "GET", `/v1/runs/${id}`);
      return { run, events: await stream.text() };
    };
    const before = await read(whole);
    expect(before.run).toMatchObject({ status: "undone", undone: [{ id: "b" }, { id: "a" }] });
    const backup = await exportOf(volley);
    await must(volley, "POST", "/v1/tenant/delete", { tenant: "acme" });
    await volley.advance(600_000);
    await restore(volley, backup);
    expect(await read(whole)).toEqual(before);
    // The copy hears no more of it.
    const { run } = await read(open1);
    expect(run).toMatchObject({
      status: "partial",
      in_doubt: true,
      undone: [{ id: "c", status: "unknown" }],
    });
    expect(essence(await exportOf(volley))).toEqual(essence(backup));
    const heard = bookings.heard.length;
    expect(await send(volley, "POST", `/v1/runs/${whole}/undo`, {})).toMatchObject({ status: 422 });
    expect(bookings.heard).toHaveLength(heard);
  },
);
