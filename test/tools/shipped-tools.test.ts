import * as z from "zod";
import { expect, test } from "vitest";

import { OPT_IN_TOOLS } from "../../src/tools/opt-in-tools.ts";
import { PACK_TOOLS } from "../../src/tools/pack-tools.ts";
import { WORKSPACE_TOOLS } from "../../src/tools/workspace-tools.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";

const OPT_IN = Object.values(OPT_IN_TOOLS).flat();
const ALL = [...SHIPPED_TOOLS, ...OPT_IN, ...PACK_TOOLS, ...WORKSPACE_TOOLS];

test("SHIPPED_TOOLS are these, in these categories", () => {
  expect(SHIPPED_TOOLS.map(({ name, category }) => `${category}/${name}`)).toEqual([
    "maps/google-maps-search",
    "vehicles/nhtsa-recall-search",
    "web/web-search",
    "web/duckduckgo-search",
    "web/web_fetch",
    "fuel/gas-prices",
    "email/send_email",
    "weather/get_weather",
    "documents/rerank",
    "events/dispatch_event",
    "events/deliver_event",
    "calendar/add_calendar_event",
    "calendar/list_calendar_events",
    "calendar/search_calendar_events",
    "calendar/update_calendar_event",
    "calendar/delete_calendar_event",
    "calendar/restore_calendar_event",
    "gmail/send_gmail",
    "gmail/search_gmail",
    "gmail/read_gmail",
    "tasks/add_task",
    "tasks/list_tasks",
    "tasks/complete_task",
    "tasks/reopen_task",
    "tasks/delete_task",
  ]);
});

test("OPT_IN_TOOLS are these, in these categories, and each needs a binding or an account, which no other does", () => {
  expect(OPT_IN.map(({ name, category }) => `${category}/${name}`)).toEqual([
    "documents/search_documents",
    "documents/fetch_document",
    "data/create_contacts",
    "data/delete_contacts",
    "data/query_orders",
    "data/revenue_summary",
    "data/csv_report",
    "images/generate_image",
    "github/search_github_issues",
    "github/create_github_issue",
    "slack/post_slack_message",
    "notion/search_notion",
    "outlook/search_outlook",
    "outlook/send_outlook",
  ]);
  const needsAccount = ({ accounts }: (typeof ALL)[number]) => accounts?.isOptional === false;
  expect(ALL.filter(needsAccount)).toEqual(OPT_IN_TOOLS.accounts);
  expect(ALL.filter((tool) => tool.bindings.length > 0 || needsAccount(tool))).toEqual([
    ...OPT_IN,
    ...PACK_TOOLS,
    ...WORKSPACE_TOOLS,
  ]);
});

test.each(ALL)("$name tells a model the size of its output and what each argument is", (tool) => {
  expect(tool.description).toMatch(/Size: about \d+ tokens/);
  expect(tool.summary.length).toBeLessThan(80);
  const { properties } = z.toJSONSchema(tool.input, { io: "input" }) as {
    properties: Record<string, { description?: string }>;
  };
  for (const property of Object.values(properties)) expect(property.description).toMatch(/\.$/);
});

/** Writes whose providers take no key: sent once, and `unknown` when their answer is lost. */
const SENT_ONCE = ["send_gmail", "add_task", "create_github_issue", "post_slack_message", "send_outlook"];

test("what is sent once is never repeated", () => {
  const once = ALL.filter(({ name }) => SENT_ONCE.includes(name));
  expect(once.map(({ repeatable, isWrite }) => [repeatable, isWrite])).toEqual(
    SENT_ONCE.map(() => [false, true]),
  );
});

/** The effect of these depends on the state before, so twice is not once; none of them leaves this system. */
const ONCE = new Set(["edit", "bash", ...SENT_ONCE]);

test.each(ALL.filter(({ name }) => !ONCE.has(name)))(
  "$name may be retried: a read, or an idempotent write, with a backoff",
  (tool) => {
    expect(tool.repeatable).toBe(true);
    expect(tool.orchestration.backoff).toBeDefined();
  },
);
