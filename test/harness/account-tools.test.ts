import { afterAll, describe, expect, test } from "vitest";

import { signInAs } from "../../scripts/demo/sign-in-as.ts";
import { TOOL_EXAMPLES } from "../../scripts/docs/tool-examples.ts";
import { OPT_IN_TOOLS } from "../../src/tools/opt-in-tools.ts";
import type { WireEnvelope, WireResult } from "../support/execute-batch.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { volley } = await setUpSandbox();

/** A sandbox without credentials of Google's of its own. */
const bare = await startRawSandbox({
  vars: { GOOGLE_CLIENT_ID: "", GOOGLE_CLIENT_SECRET: "", GOOGLE_REFRESH_TOKEN: "" },
});
afterAll(() => bare[Symbol.asyncDispose]());

async function send(path: string, body: object, at = volley.url): Promise<unknown> {
  const response = await fetch(new URL(path, at), {
    method: "POST",
    headers: { authorization: "Bearer sandbox-admin-key", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return JSON.parse(text);
}

/** Call one tool for a subject, or for none. */
async function call(
  tool: string,
  args: object,
  { at, ...more }: { readonly subject?: string; readonly connections?: object; readonly at?: string } = {},
): Promise<WireResult> {
  const batch = { actions: [{ tool, args }], ...more };
  const { results } = (await send("/v1/execute_actions", batch, at)) as WireEnvelope;
  return results[0]!;
}

interface Connecting {
  readonly subject: string;
  readonly person?: string;
  readonly scopes?: readonly string[];
  readonly name?: string;
  readonly at?: string;
}

/** Connect an account of a person to a subject. */
async function connect(
  connector: string,
  { subject, person = subject, at = volley.url, ...more }: Connecting,
): Promise<void> {
  const body = { connector, subject, ...more };
  const { connect_url: link } = (await send("/v1/connections", body, at)) as { connect_url: string };
  expect((await signInAs(person, link, at)).status).toBe(200);
}

const subjectsOf = ({ data }: WireResult): string[] =>
  (data as { messages: { subject: string }[] }).messages.map(({ subject }) => subject);

describe("The Google tools", () => {
  test("use the account of the subject where there is one, and else the deployment's own", async () => {
    const search = { query: "invoice" };
    await connect("google", { subject: "ada" });
    await connect("google", { subject: "u_2", person: "grace" });
    expect(subjectsOf(await call("search_gmail", search, { subject: "ada" }))).toEqual(["Invoice for ada"]);
    expect(subjectsOf(await call("search_gmail", search, { subject: "u_2" }))).toEqual(["Invoice for grace"]);
    const own = ["Invoice for November"];
    // The second call is as the first, which connected nothing.
    for (const time of [1, 2])
      expect(subjectsOf(await call("search_gmail", search, { subject: "nobody_yet" })), `${time}`).toEqual(
        own,
      );
    expect(subjectsOf(await call("search_gmail", search))).toEqual(own);
  });

  test("T52 write to the account of the subject, in mail, calendar and tasks, and to no other", async () => {
    await connect("google", { subject: "writer", person: "writer" });
    const as = { subject: "writer" };
    const sent = await call("send_gmail", { to: "ann@example.com", subject: "From me", body: "Hi" }, as);
    expect(sent).toMatchObject({ status: "success" });
    const added = { title: "Only mine", start_time: "2098-04-05T15:00" };
    expect(await call("add_calendar_event", added, as)).toMatchObject({ status: "success" });
    expect(await call("add_task", { title: "Only mine too" }, as)).toMatchObject({ status: "success" });
    for (const [one, finds] of [
      [as, 1],
      [{ subject: "ada" }, 0],
      [{}, 0],
    ] as const) {
      expect(subjectsOf(await call("search_gmail", { query: "in:sent" }, one))).toHaveLength(finds);
      const found = await call("search_calendar_events", { query: "only mine" }, one);
      expect((found.data as { events: object[] }).events).toHaveLength(finds);
      const listed = JSON.stringify((await call("list_tasks", {}, one)).data);
      expect(listed.includes("Only mine too")).toBe(finds === 1);
    }
  });

  test("need no credentials of the deployment for a subject with an account", async () => {
    const at = bare.url;
    const search = { query: "invoice" };
    await connect("google", { subject: "ada", at });
    expect(subjectsOf(await call("search_gmail", search, { subject: "ada", at }))).toEqual([
      "Invoice for ada",
    ]);
    for (const subject of ["grace", undefined])
      expect(await call("search_gmail", search, { at, ...(subject && { subject }) })).toMatchObject({
        status: "error",
        error: { code: "MISCONFIGURED" },
      });
  });

  test("use the named one of several accounts of a subject", async () => {
    await connect("google", { subject: "both", person: "ada" });
    await connect("google", { subject: "both", person: "grace", name: "work" });
    const search = { query: "invoice" };
    const of = (connections?: object) =>
      call("search_gmail", search, { subject: "both", ...(connections && { connections }) });
    expect(subjectsOf(await of())).toEqual(["Invoice for ada"]);
    expect(subjectsOf(await of({ google: "work" }))).toEqual(["Invoice for grace"]);
  });

  test("do not pass over an account that may do too little: the link asks for what is missing as well", async () => {
    await connect("google", { subject: "reader", person: "ada", scopes: ["gmail.readonly"] });
    const as = { subject: "reader" };
    expect(subjectsOf(await call("search_gmail", { query: "invoice" }, as))).toEqual(["Invoice for ada"]);
    const refused = await call("send_gmail", { to: "ann@example.com", subject: "Hi", body: "." }, as);
    expect(refused).toMatchObject({
      status: "error",
      error: { code: "CONNECTION_REQUIRED", hint: expect.stringContaining("lacks gmail.send") },
    });
    const { connect_url: link } = refused.error as unknown as { connect_url: string };
    await signInAs("ada", link, volley.url);
    expect(await call("send_gmail", { to: "ann@example.com", subject: "Hi", body: "." }, as)).toMatchObject({
      status: "success",
    });
    expect(subjectsOf(await call("search_gmail", { query: "invoice" }, as))).toEqual(["Invoice for ada"]);
  });
});

describe.each([
  ["github", "search_github_issues", { query: "is:open basket" }, "The checkout of %s loses its basket"],
  ["notion", "search_notion", { query: "plan" }, "Plan of %s"],
  ["microsoft", "search_outlook", { query: "subject:timesheet" }, "Timesheet of %s"],
])("A tool of %s", (connector, tool, args, said) => {
  test("needs the account of the subject, and sees what that one sees alone", async () => {
    const refused = await call(tool, args, { subject: "ada" });
    expect(refused).toMatchObject({
      status: "error",
      error: { code: "CONNECTION_REQUIRED", connect_url: expect.stringContaining("/connect/") },
    });
    for (const person of ["ada", "grace"]) await connect(connector, { subject: person });
    for (const [person, other] of [
      ["ada", "grace"],
      ["grace", "ada"],
    ] as const) {
      const found = await call(tool, args, { subject: person });
      expect(found.status, JSON.stringify(found)).toBe("success");
      expect(JSON.stringify(found.data)).toContain(said.replace("%s", person));
      expect(JSON.stringify(found.data)).not.toContain(said.replace("%s", other));
    }
    const nobody = await call(tool, args);
    expect(nobody).toMatchObject({ status: "error", error: { code: "CONNECTION_REQUIRED" } });
  });
});

describe("A write", () => {
  test("opens a GitHub issue where the subject may, and says NOT_FOUND of a repository that it does not see", async () => {
    await connect("github", { subject: "opener", person: "opener" });
    const as = { subject: "opener" };
    const issue = { repository: "opener/shop", title: "The basket is slow" };
    expect(await call("create_github_issue", issue, as)).toMatchObject({
      status: "success",
      data: { success: true, number: 2, url: "https://github.com/opener/shop/issues/2" },
    });
    const elsewhere = await call("create_github_issue", { ...issue, repository: "ada/shop" }, as);
    expect(elsewhere).toMatchObject({ status: "error", error: { code: "NOT_FOUND" } });
    const found = await call("search_github_issues", { query: "slow" }, as);
    expect(found.data).toMatchObject({ total: 1, issues: [{ number: 2, author: "opener" }] });
  });

  test("posts to Slack as the subject, and reads a refusal under status 200 as one", async () => {
    await connect("slack", { subject: "ada" });
    const as = { subject: "ada" };
    expect(await call("post_slack_message", { channel: "#general", text: "Hello" }, as)).toMatchObject({
      status: "success",
      data: { success: true, channel: "C0000001" },
    });
    const refused = await call("post_slack_message", { channel: "#secret", text: "Hello" }, as);
    expect(refused).toMatchObject({ status: "error", error: { code: "NOT_FOUND" } });
    expect(JSON.stringify(refused)).not.toContain("channel_not_found");
  });

  test("sends from the Outlook address of the subject", async () => {
    await connect("microsoft", { subject: "sender", person: "sender" });
    const mail = { to: ["ann@example.com"], subject: "Lunch", body: "At noon?" };
    const as = { subject: "sender" };
    expect(await call("send_outlook", mail, as)).toMatchObject({ status: "success" });
    expect(subjectsOf(await call("search_outlook", { query: "lunch" }, as))).toEqual(["Lunch"]);
    await connect("microsoft", { subject: "other", person: "other" });
    expect(subjectsOf(await call("search_outlook", { query: "lunch" }, { subject: "other" }))).toEqual([]);
  });
});

test("The examples of docs/tools.md answer what the page says", async () => {
  // At a sandbox in which no other test has written as her.
  const at = bare.url;
  for (const connector of ["github", "slack", "notion", "microsoft"])
    await connect(connector, { subject: "ada", at });
  const answered: Record<string, unknown> = {};
  for (const { name } of OPT_IN_TOOLS.accounts)
    answered[name] = (await call(name, TOOL_EXAMPLES[name]!.args, { subject: "ada", at })).data;
  expect(answered).toEqual(
    Object.fromEntries(OPT_IN_TOOLS.accounts.map(({ name }) => [name, TOOL_EXAMPLES[name]!.answer])),
  );
});
