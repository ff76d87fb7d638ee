import { describe, expect, test, vi } from "vitest";

import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { watchEnv } from "./watched-env.ts";
import { openApprovals, pay } from "./approval-world.ts";
import { trial } from "../../../support/trial.ts";

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const SLACK = "https://hooks.example.com/services/T/B/x";
const YES = { decision: "approve" };
const EVIL = "<!channel> *x* <https://evil.example|here>\r\nBcc: eve@evil.example";

const ALL = [
  { name: "Sue", slack: { secret: "SLACK_URL" } },
  { name: "Mia", email: "mia@acme.example", for: { tools: ["wire", "pay"], tenants: ["acme"] } },
  {
    name: "Web",
    webhook: { url: "https://hears.example.com/asked", secret: "WEB_SECRET" },
    for: { categories: ["shop"] },
  },
  {
    name: "Del",
    webhook: { url: "https://hears.example.com/del", secret: "WEB_SECRET" },
    for: { tools: ["wipe"] },
  },
  {
    name: "Sub",
    webhook: { url: "https://hears.example.com/sub", secret: "WEB_SECRET" },
    for: { subjects: ["ada"] },
  },
];

interface Mail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
}

const envOf = (
  approvers: unknown,
  more: Readonly<Record<string, unknown>>,
  send: (mail: Mail) => Promise<void> = async () => {},
) => ({
  VOLLEY_APPROVERS: typeof approvers === "string" ? approvers : JSON.stringify(approvers),
  VOLLEY_URL: "https://volley.acme.example",
  VOLLEY_MAIL_FROM: "volley@acme.example",
  SLACK_URL: SLACK,
  WEB_SECRET: SECRET,
  EMAIL: { send },
  ...more,
});

async function open(approvers: unknown = ALL, more: Readonly<Record<string, unknown>> = {}) {
  const mails: Mail[] = [];
  const down = new Set<string>();
  const env = envOf(approvers, more, async (mail) => {
    if (down.has("mail")) throw new Error("E_DOWN");
    mails.push(mail);
  });
  const answer = (name: string) => () => new Response("ok", { status: down.has(name) ? 503 : 200 });
  const watched = watchEnv();
  const world = await openApprovals({
    env,
    features: [watched.feature],
    routes: { [`POST ${SLACK}`]: answer("slack"), "POST https://hears.example.com/*": answer("web") },
  });
  const sentTo = (url: string) =>
    world.volley.requests.filter((one) => one.url === url).map(({ body }) => JSON.parse(body ?? "{}"));
  /** Deploy with other approvers, over the same objects. */
  const redeploy = (others: unknown) =>
    openApprovals({ env: { ...watched.env(), VOLLEY_APPROVERS: JSON.stringify(others) } });
  return { ...world, env, mails, down, sentTo, redeploy };
}

const pathOf = (link: string): string => new URL(link).pathname;

describe("VOLLEY_APPROVERS", () => {
  trial("has each question brought to those whom it concerns, with a link under their name", async () => {
    const { ask, volley, mails, sentTo, sendForm, show } = await open();
    const question = await ask("pay", { amount: 5, to: "Ada" });
    await volley.advance(5_000);
    const [slack] = sentTo(SLACK);
    expect(slack.blocks[0].text).toMatchObject({ type: "plain_text" });
    expect(slack.blocks[0].text.text).toContain("Pay 5 to Ada");
    const [mail] = mails;
    expect(mail).toMatchObject({ to: "mia@acme.example", from: "volley@acme.example" });
    expect([mail!.subject, mail!.text]).toEqual([
      "Yes or no? Pay 5 to Ada",
      expect.stringContaining("https://volley.acme.example/approvals/acme/"),
    ]);
    const [web] = sentTo("https://hears.example.com/asked");
    expect(web).toMatchObject({
      type: "confirmation.requested",
      data: { confirmation_id: question, approver: "Web", says: ["Pay 5 to Ada"], tools: ["pay"] },
    });
    expect(volley.requests.find(({ url }) => url.endsWith("/asked"))!.headers["webhook-signature"]).toMatch(
      /^v1,/,
    );
    expect([sentTo("https://hears.example.com/del"), sentTo("https://hears.example.com/sub")]).toEqual([
      [],
      [],
    ]);
    expect((await sendForm(pathOf(web.data.link))).status).toBe(200);
    expect((await show(question)).body.decided_by).toEqual({ name: "Web", via: "approver" });
  });

  trial("counts two of its names as two people, and one name once", async () => {
    const { ask, volley, sentTo, sendForm, show } = await open();
    const question = await ask("wire", { amount: 5, to: "Ada" });
    await volley.advance(5_000);
    const [slack] = sentTo(SLACK);
    const [web] = sentTo("https://hears.example.com/asked");
    expect((await sendForm(pathOf(web.data.link))).text).toContain("1 of 2");
    expect((await sendForm(pathOf(slack.blocks[1].elements[0].url))).text).toContain("wire (a): done");
    expect((await show(question)).body.decided_by).toEqual([
      { name: "Web", via: "approver" },
      { name: "Sue", via: "approver" },
    ]);
  });

  trial("tries each again until it is taken, and one that is down holds no other back", async () => {
    const { ask, volley, mails, sentTo, down } = await open();
    down.add("slack");
    down.add("mail");
    await ask("pay");
    await volley.advance(3_000);
    expect([mails, sentTo("https://hears.example.com/asked").length]).toEqual([[], 1]);
    volley.evict();
    down.clear();
    await volley.advance(3_600_000);
    expect([mails.length, sentTo("https://hears.example.com/asked").length]).toEqual([1, 1]);
    expect(sentTo(SLACK).length).toBeGreaterThan(1);
  });

  trial("text is text: no mention, no link and no header is made of an argument", async () => {
    const { ask, volley, mails, sentTo } = await open();
    await ask("pay", { amount: 1, to: EVIL });
    await volley.advance(5_000);
    const [slack] = sentTo(SLACK);
    expect(slack.text).not.toMatch(/[<>]/);
    for (const { text } of slack.blocks.slice(0, 1)) expect(text.type).toBe("plain_text");
    expect(mails[0]!.subject).not.toMatch(/[\r\n]/);
    expect(mails[0]!.text).not.toMatch(/^Bcc:/m);
  });

  trial("ends its links by a DELETE of the question's links", async () => {
    const { ask, volley, sentTo, send } = await open();
    const question = await ask("pay");
    await volley.advance(5_000);
    const path = pathOf(sentTo("https://hears.example.com/asked")[0].data.link);
    expect((await send("GET", path, undefined, null)).status).toBe(200);
    await send("DELETE", `/v1/confirmations/${question}/links`);
    expect((await send("GET", path, undefined, null)).status).toBe(404);
  });

  trial(
    "ends the link of a name that has left it, and the yes that was said by it; the question waits on",
    async () => {
      const { ask, volley, sentTo, show, redeploy } = await open();
      const question = await ask("wire", { amount: 5, to: "Ada" });
      await volley.advance(5_000);
      const web = pathOf(sentTo("https://hears.example.com/asked")[0].data.link);
      const sue = pathOf(sentTo(SLACK)[0].blocks[1].elements[0].url);
      const [, , webhook] = ALL;
      const without = await redeploy([webhook, { name: "New", slack: { secret: "SLACK_URL" } }]);
      const over = await without.send("GET", sue, undefined, null);
      expect([over.status, over.text.includes("This link is over")]).toEqual([410, true]);
      expect((await without.sendForm(sue)).status).toBe(410);
      expect((await show(question)).body).toMatchObject({ status: "pending", approved: 0 });
      expect((await without.sendForm(web)).text).toContain("1 of 2");
      const none = await redeploy([]);
      expect((await none.send("GET", web, undefined, null)).status).toBe(410);
      // Its yes went with it: a key is the first of two again.
      expect((await none.decide(question, YES)).body).toMatchObject({ status: "waiting", approved: 1 });
      // Who has come back with the same link was asked for by it, and decides with it.
      const back = await redeploy(ALL);
      expect((await back.sendForm(sue)).text).toContain("wire (a): done");
    },
  );

  trial("shows no link to a key that reads the job", async () => {
    const { ask, volley, send } = await open();
    await ask("pay");
    await volley.advance(5_000);
    const jobs = await send("GET", "/v1/jobs?limit=100", undefined, "admin");
    expect(jobs.text).not.toContain("/approvals/");
    for (const { job_id: id } of jobs.body.jobs)
      expect((await send("GET", `/v1/jobs/${id}`, undefined, "admin")).text).not.toContain("/approvals/");
  });

  test.each([
    ["VOLLEY_URL", ALL, { VOLLEY_URL: "" }],
    ["EMAIL", ALL, { EMAIL: undefined }],
    ["VOLLEY_MAIL_FROM", ALL, { VOLLEY_MAIL_FROM: "" }],
    ["SLACK_URL", ALL, { SLACK_URL: "" }],
    ["WEB_SECRET", ALL, { WEB_SECRET: undefined }],
    ["VOLLEY_APPROVERS", "{", {}],
    ["VOLLEY_APPROVERS", [{ name: "Sue" }], {}],
    ["VOLLEY_APPROVERS", [ALL[0], ALL[0]], {}],
    ["VOLLEY_APPROVERS", [{ ...ALL[0], email: "sue@acme.example" }], {}],
    ["VOLLEY_APPROVERS", [{ ...ALL[0], For: {} }], {}],
    ["VOLLEY_APPROVERS", [{ ...ALL[0], for: { tool: ["pay"] } }], {}],
  ])("has /healthz say that %s is missing or cannot be read", async (variable, approvers, more) => {
    const silent = vi.spyOn(console, "error").mockReturnValue();
    const volley = await createTestVolley({
      tools: [pay],
      features: [confirmations()],
      env: envOf(approvers, more),
    });
    const answer = await volley.fetch("/healthz");
    silent.mockRestore();
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining(variable)]);
  });

  trial("is decided by keys as before", async () => {
    const { ask, decide } = await open();
    expect((await decide(await ask("pay"), YES)).status).toBe(200);
  });
});
