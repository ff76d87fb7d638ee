import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import * as z from "zod";

import { describeBatchTool } from "../../src/features/discovery/batch-tool.ts";
import { createCatalog } from "../support/create-catalog.ts";
import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { describeTool, discoverTools, discoverySchema } from "../../src/features/discovery/discover-tools.ts";
import { describeSurface } from "../../src/features/discovery/tool-surface.ts";
import { makePlan } from "../../src/core/plan/make-plan.ts";
import { executeApproved } from "../../src/features/confirmations/execute-approved.ts";
import { deleteCalendarEvent } from "../../src/tools/calendar/delete-calendar-event.ts";
import { listCalendarEvents } from "../../src/tools/calendar/list-calendar-events.ts";
import { GOOGLE_SECRETS } from "../../src/tools/kit/google-access.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { EXAMPLE_TOOLS } from "../sandbox/example-tools.ts";
import { resetExamples } from "../sandbox/upstreams/examples.ts";
import { resetGoogleCalendar } from "../sandbox/upstreams/google-calendar.ts";
import { routeUpstream } from "../sandbox/upstreams/route-upstream.ts";
import { TestWorld, type WireEnvelope } from "../support/execute-batch.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";
import { readCatalogue } from "../fixtures/catalogue/read-catalogue.ts";
import { parseBatchText } from "../support/parse-batch-text.ts";
import { valueOf } from "../support/unwrap.ts";
import { trial } from "../support/trial.ts";

const CATALOG = createCatalog(SHIPPED_TOOLS);

/** The document's own example, to the letter. */
const EXAMPLE = `{
"actions": [
{ "tool": "google-maps-search", "args": { "query": "oil change near Phoenix, AZ" } },
{ "tool": "nhtsa-recall-search", "args": { "year": 2020, "make": "Toyota", "model": "Camry" } },
{ "tool": "web-search", "args": { "query": "2020 Toyota Camry common issues" } }
]
}`;

const { steps } = valueOf(makePlan(valueOf(parseBatchText(EXAMPLE)), CATALOG));

test("'The model constructs one JSON payload with multiple actions': the example plans, in its order", () => {
  expect(steps.map(({ task }) => valueOf(task).tool.name)).toEqual([
    "google-maps-search",
    "nhtsa-recall-search",
    "web-search",
  ]);
});

test("'All three actions execute in parallel': no step of the example waits, every tool of it is a sync read", () => {
  for (const { needs, task } of steps) {
    expect(needs).toEqual([]);
    expect(valueOf(task).tool).toMatchObject({ isWrite: false, execution: "sync" });
  }
});

test("'a single tool called execute_actions whose schema describes ALL available tools'", () => {
  const { name, inputSchema } = describeBatchTool(CATALOG);
  expect(name).toBe("execute_actions");
  expect(inputSchema).toMatchObject({
    properties: {
      actions: {
        items: {
          anyOf: SHIPPED_TOOLS.map((tool) => ({
            properties: { tool: { const: tool.name }, args: { type: "object" } },
            "x-orchestration": tool.orchestration,
          })),
        },
      },
    },
  });
});

test("'Each tool has an execution mode': what is sent is fire-and-forget, what is looked up is sync", () => {
  const modes = new Map(SHIPPED_TOOLS.map(({ name, execution }) => [name, execution]));
  const named = ["google-maps-search", "nhtsa-recall-search", "web-search", "send_email", "get_weather"];
  expect(named.map((name) => modes.get(name))).toEqual(["sync", "sync", "sync", "fire-and-forget", "sync"]);
});

test("'A single batch can contain both sync and fire-and-forget tools'", () => {
  const mixed = {
    actions: [
      { tool: "web-search", args: { query: "2020 Toyota Camry common issues" } },
      { tool: "send_email", args: { to: ["a@example.com"], subject: "Hi", body: "…" } },
    ],
  };
  const plan = valueOf(makePlan(valueOf(parseBatchText(JSON.stringify(mixed))), CATALOG));
  expect(plan.steps.map(({ needs, task }) => [needs, valueOf(task).tool.execution])).toEqual([
    [[], "sync"],
    [[], "fire-and-forget"],
  ]);
});

test("'Failed actions are never omitted': an action that cannot run keeps its place in the plan", () => {
  const text = EXAMPLE.replace("nhtsa-recall-search", "nhtsa-recalls");
  const plan = valueOf(makePlan(valueOf(parseBatchText(text)), CATALOG));
  expect(plan.steps.map(({ task }) => (task.ok ? "ok" : task.error.code))).toEqual([
    "ok",
    "UNKNOWN_TOOL",
    "ok",
  ]);
});

/** The second reference document's own two tools. */
const CALENDAR = createCatalog([
  defineTool({
    name: "add_calendar_event",
    summary: "Create a new calendar event with title, time, and optional attendees",
    description:
      "Add a new event to the user's Google Calendar. Use this when the user wants to schedule a meeting, appointment, or any calendar event.",
    category: "calendar",
    actions: ["create", "write"],
    isWrite: true,
    execution: "sync",
    input: z.strictObject({
      title: z.string().describe("Event title"),
      start_time: z.string().describe("Start time (natural language or ISO format)"),
      timezone: z.string().default("UTC").describe("Timezone (e.g., 'America/New_York')"),
    }),
    hosts: [],
    orchestration: { mode: "sequential-only" },
    run: async () => ({ event_id: "abc123" }),
  }),
  defineTool({
    name: "delete_calendar_event",
    summary: "Delete a calendar event by its ID",
    description: "Delete an event from the user's Google Calendar by its event ID.",
    category: "calendar",
    actions: ["delete", "write"],
    isWrite: true,
    execution: "sync",
    input: z.strictObject({ event_id: z.string().describe("Calendar event ID") }),
    hosts: [],
    orchestration: { mode: "sequential-only" },
    run: async () => ({}),
  }),
]);

test('\'discover_tools(categories=["calendar"], actions=["create"])\' returns the document\'s answer', () => {
  const request = discoverySchema().parse({ categories: ["calendar"], actions: ["create"] });
  expect(discoverTools(request, CALENDAR).tools).toEqual([
    {
      name: "add_calendar_event",
      summary: "Create a new calendar event with title, time, and optional attendees",
      category: "calendar",
      actions: ["create", "write"],
      is_write: true,
    },
  ]);
});

test("'What tools can delete?' is answered by the index of actions", () => {
  expect(CALENDAR.byAction.get("delete")?.map(({ name }) => name)).toEqual(["delete_calendar_event"]);
});

test("'get_tool_schema(\"add_calendar_event\")' returns name, description, parameters, required and is_write", () => {
  expect(describeTool(CALENDAR.get("add_calendar_event")!)).toMatchObject({
    name: "add_calendar_event",
    description: expect.stringContaining("Add a new event to the user's Google Calendar"),
    parameters: { title: { type: "string", description: "Event title" } },
    required: ["title", "start_time"],
    is_write: true,
  });
});

test("discover, look, invoke: the document's workflow, each step from the answer before it", async () => {
  const world = new TestWorld();
  const run = async (action: object) => {
    const { results } = await world.run([...CALENDAR.tools], { actions: [action] });
    return results[0]!;
  };
  const found = await run({ tool: "discover_tools", args: { query: "schedule a meeting" } });
  const { tools } = found.data as { tools: { name: string }[] };
  const schema = await run({ tool: "get_tool_schema", args: { tool_name: tools[0]!.name } });
  const { required } = schema.data as { required: string[] };
  const parameters = Object.fromEntries(required.map((field) => [field, `a ${field}`]));
  const ran = await run({ tool: "invoke_tool", args: { tool_name: tools[0]!.name, parameters } });

  expect(ran).toMatchObject({ tool: "add_calendar_event", status: "success", data: { event_id: "abc123" } });
});

trial("'Load only 3 meta-tool schemas (96% reduction!)': the three cost a fraction of 100 tools", () => {
  const cost = (tools: readonly object[]): number => encode(JSON.stringify(tools)).length;
  const surface = describeSurface("meta", CALENDAR).filter(({ name }) => name !== "execute_actions");
  const flat = describeSurface("flat", createCatalog(readCatalogue().slice(0, 100)));

  expect(surface.map(({ name }) => name)).toEqual(["discover_tools", "get_tool_schema", "invoke_tool"]);
  expect(cost(surface)).toBeLessThan(550);
  expect(1 - cost(surface) / cost(flat)).toBeGreaterThan(0.96);
});

/** The document's own call: `invoke_tool(tool_name="delete_calendar_event", parameters={"event_id": "abc123"})`. */
trial(
  "'This action requires user confirmation before execution': the document's deletion is asked about, not done",
  async () => {
    const world = new TestWorld();
    world.fetch = (url, init) => routeUpstream(new Request(url, init), INSTANT_PORTS)!;
    world.clock.jump(INSTANT_PORTS.now());
    for (const name of GOOGLE_SECRETS) world.secrets.set(name, `sandbox-${name}`);
    resetExamples();
    resetGoogleCalendar();
    const tools = [listCalendarEvents, deleteCalendarEvent, ...EXAMPLE_TOOLS];
    const list = { id: "list", tool: "list_calendar_events", args: { from: "2026-11-03" } };
    const envelope = await world.run(tools, {
      actions: [
        list,
        {
          id: "delete",
          tool: "invoke_tool",
          args: { tool_name: "delete_calendar_event", parameters: { event_id: "abc123" } },
          depends_on: ["list"],
        },
        {
          id: "notify",
          tool: "vector_search",
          args: { query: { $ref: "delete#/event_id" } },
        },
        { id: "search", tool: "vector_search", args: { query: "agenda" } },
      ],
    });
    expect(envelope.results.map(({ id, tool, status }) => [id, tool, status])).toEqual([
      ["list", "list_calendar_events", "success"],
      ["delete", "delete_calendar_event", "pending_confirmation"],
      ["notify", "vector_search", "pending_confirmation"],
      ["search", "vector_search", "success"],
    ]);
    expect(envelope.summary).toMatchObject({ ok: 2, pending_confirmation: 2 });
    const { id, message } = envelope.results[1]!.confirmation!;
    expect(message).toBe(
      `'delete_calendar_event' with {"event_id":"abc123"} runs only after a person's yes. With it: 'notify' (vector_search).`,
    );
    expect(envelope.results[0]!.data).toMatchObject({ events: [{ event_id: "abc123" }, {}] });

    const approved = await world.clock.runUntil(
      executeApproved(world.gate.parked.get(id)!, { id, by: "ann" }, world.execution(tools)),
    );
    const { results } = JSON.parse(valueOf(approved).json) as WireEnvelope;
    expect(results).toMatchObject([
      { index: 0, id: "delete", status: "success", data: { success: true, event_id: "abc123" } },
      { index: 1, id: "notify", status: "success", data: { matches: [{ id: "abc123/1" }, {}, {}] } },
    ]);
    const after = await world.run(tools, { actions: [list] });
    expect(after.results[0]!.data).toMatchObject({ events: [{ event_id: "def456", title: "Stand-up" }] });
  },
);
