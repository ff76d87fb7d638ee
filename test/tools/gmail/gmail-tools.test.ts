import * as z from "zod/mini";
import { beforeEach, describe, expect, test } from "vitest";

import { readGmail } from "../../../src/tools/gmail/read-gmail.ts";
import { searchGmail } from "../../../src/tools/gmail/search-gmail.ts";
import { sendGmail } from "../../../src/tools/gmail/send-gmail.ts";
import { forgetGoogleTokens } from "../../../src/tools/kit/google-access.ts";
import { listSentMails, resetGmail } from "../../sandbox/upstreams/gmail.ts";
import { answerGoogleOauth } from "../../sandbox/upstreams/google-oauth.ts";
import { routeUpstream } from "../../sandbox/upstreams/route-upstream.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { INSTANT_PORTS } from "../../support/instant-ports.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

const MAIL = { to: ["a@example.com"], subject: "Hi", body: "First line\nSecond line" };

beforeEach(() => {
  forgetGoogleTokens();
  resetGmail();
});

/** The headers and the text of the latest mail that was sent. */
function sentMail(): Record<string, string> {
  const [{ payload }] = listSentMails() as [ReturnType<typeof listSentMails>[number]];
  const headers = payload.headers.map(({ name, value }) => [name, value]);
  const text = Buffer.from(payload.body.data!, "base64url").toString();
  return { ...(Object.fromEntries(headers) as Record<string, string>), text };
}

/** Answer for Gmail with this; tokens as always. */
const answering = (answer: (url: URL) => unknown) => async (request: Request) => {
  if (request.url.includes("/token")) return answerGoogleOauth(request, INSTANT_PORTS);
  return Response.json(answer(new URL(request.url)));
};

describe("send_gmail", () => {
  test("sends a mail that is what it was asked for, and gives its ids", async () => {
    const output = await runTool(sendGmail, { ...MAIL, cc: ["b@example.com", "c@example.com"] }).output;
    const { id } = listSentMails()[0]!;
    expect(output).toEqual({ success: true, message_id: id, thread_id: id });
    expect(countTokens(output)).toBeLessThan(40);
    expect(sentMail()).toMatchObject({
      To: "a@example.com",
      Cc: "b@example.com, c@example.com",
      Subject: "Hi",
      text: "First line\r\nSecond line",
    });
  });

  test("takes one address as it is, as well as a list", async () => {
    await runTool(sendGmail, { ...MAIL, to: "a@example.com", cc: "b@example.com" }).output;
    expect(sentMail()).toMatchObject({ To: "a@example.com", Cc: "b@example.com" });
  });

  test.each([
    ["Grüße aus Köln", "Zwölf Boxkämpfer jagen Viktor 🥊\n"],
    ["件名".repeat(60), "本文\r\nつづき"],
    ["🎉".repeat(99), "."],
    ["=?UTF-8?B?SGk=?=", "looks encoded"],
    ["a".repeat(200), "x".repeat(20_000)],
    ["Subject: Bcc: evil@example.com", "Bcc: evil@example.com\r\n\r\n.\r\nQUIT"],
  ])("keeps the subject %j and its text as they are", async (subject, body) => {
    await runTool(sendGmail, { ...MAIL, subject, body }).output;
    expect(sentMail()).toMatchObject({
      To: "a@example.com",
      Subject: subject,
      text: body.replaceAll(/\r?\n/g, "\r\n"),
    });
    expect(sentMail()).not.toHaveProperty("Bcc");
  });

  test.each([
    { ...MAIL, to: [] },
    { ...MAIL, to: ["a@example.com, b@example.com"] },
    { ...MAIL, to: ["a@example.com\r\nBcc: c@example.com"] },
    { ...MAIL, to: ["Ann <a@example.com>"] },
    { ...MAIL, to: ["a@example.com;b@example.com"] },
    { ...MAIL, cc: ["nobody"] },
    { ...MAIL, subject: "Hi\r\nBcc: c@example.com" },
    { ...MAIL, subject: "Hi\nthere" },
    { ...MAIL, subject: "" },
    { ...MAIL, body: "" },
    { ...MAIL, bcc: ["c@example.com"] },
  ])("does not accept %j", (args) => {
    expect(z.safeParse(sendGmail.input, args).success).toBe(false);
  });

  test("is sent once: a caller that loses its answer is told that it may have gone out", async () => {
    const world = new TestWorld();
    world.clock.jump(INSTANT_PORTS.now());
    for (const name of sendGmail.secrets) world.secrets.set(name, "secret");
    world.fetch = async (url, init) => {
      const response = await routeUpstream(new Request(url, init), INSTANT_PORTS)!;
      if (url.includes("/send")) throw new TypeError("connection reset");
      return response;
    };
    const { results } = await world.run([sendGmail], { actions: [{ tool: "send_gmail", args: MAIL }] });
    expect(results).toMatchObject([
      { status: "unknown", error: { retryable: false }, meta: { attempts: 1 } },
    ]);
    expect(listSentMails()).toHaveLength(1);
  });
});

describe("search_gmail", () => {
  test("finds messages with sender, subject, date and a plain snippet", async () => {
    expect(await runTool(searchGmail, { query: "from:ann is:unread" }).output).toEqual({
      messages: [
        {
          message_id: "18c0ffee00000001",
          from: "Ann Lee <ann@example.com>",
          subject: "Invoice for November",
          date: "Mon, 2 Nov 2026 09:12:00 +0000",
          snippet: "Hello you, the invoice & terms are attached.",
        },
      ],
    });
  });

  test("finds nothing where there is nothing, and says when there is more", async () => {
    expect(await runTool(searchGmail, { query: "nobody" }).output).toEqual({ messages: [] });
    expect(await runTool(searchGmail, { query: "in:inbox", limit: 2 }).output).toMatchObject({
      messages: [{}, {}],
      more: true,
    });
  });

  test("finds what was sent", async () => {
    await runTool(sendGmail, { ...MAIL, subject: "Grüße" }).output;
    const found = (await runTool(searchGmail, { query: "in:sent subject:grüße" }).output) as {
      messages: object[];
    };
    expect(found.messages).toMatchObject([{ subject: "Grüße", snippet: "First line Second line" }]);
  });

  test("leaves out what was deleted between the list and the look", async () => {
    const { output } = runTool(
      searchGmail,
      { query: "x" },
      {
        answer: async (request) => {
          if (request.url.includes("/token")) return answerGoogleOauth(request, INSTANT_PORTS);
          if (/messages\?/.test(request.url))
            return Response.json({ messages: [{ id: "a1" }, { id: "b2" }] });
          return request.url.includes("/a1")
            ? new Response(null, { status: 404 })
            : Response.json({ id: "b2" });
        },
      },
    );
    expect(await output).toMatchObject({ messages: [{ message_id: "b2", subject: "" }] });
  });

  test.each([403, 500])(
    "says so when a message cannot be looked up (%i), instead of leaving it out",
    async (status) => {
      const { output } = runTool(
        searchGmail,
        { query: "x" },
        {
          answer: async (request) => {
            if (request.url.includes("/token")) return answerGoogleOauth(request, INSTANT_PORTS);
            if (/messages\?/.test(request.url))
              return Response.json({ messages: [{ id: "a1" }, { id: "b2" }] });
            return request.url.includes("/a1") ? new Response(null, { status }) : Response.json({ id: "b2" });
          },
        },
      );
      await expect(output).rejects.toMatchObject({ failure: { code: "UPSTREAM_ERROR" } });
    },
  );

  trial("looks few messages up at once, and stays within its size whatever they say", async () => {
    let active = 0;
    let most = 0;
    const { output } = runTool(
      searchGmail,
      { query: "x", limit: 25 },
      {
        answer: async (request) => {
          if (request.url.includes("/token")) return answerGoogleOauth(request, INSTANT_PORTS);
          if (/messages\?/.test(request.url))
            return Response.json({ messages: Array.from({ length: 100 }, (_, n) => ({ id: `a${n}` })) });
          active += 1;
          most = Math.max(most, active);
          await new Promise((resolve) => void setImmediate(resolve));
          active -= 1;
          const headers = ["From", "Subject", "Date"].map((name) => ({ name, value: "word ".repeat(1_000) }));
          return Response.json({ id: "a".repeat(16), snippet: "word ".repeat(1_000), payload: { headers } });
        },
      },
    );
    expect(countTokens(await output)).toBeLessThan(4_000);
    expect(most).toBeLessThanOrEqual(3);
  });

  test("follows no id that is none", async () => {
    const answer = answering(() => ({ messages: [{ id: "../../settings" }] }));
    await expect(runTool(searchGmail, { query: "x" }, { answer }).output).rejects.toMatchObject({
      failure: { code: "BAD_UPSTREAM_RESPONSE" },
    });
  });
});

describe("read_gmail", () => {
  test("prefers plain text, and lists what is attached", async () => {
    expect(await runTool(readGmail, { message_id: "18c0ffee00000001" }).output).toEqual({
      message_id: "18c0ffee00000001",
      thread_id: "18c0ffee00000001",
      from: "Ann Lee <ann@example.com>",
      to: "Volley <volley@example.com>",
      subject: "Invoice for November",
      date: "Mon, 2 Nov 2026 09:12:00 +0000",
      text: "Hello you,\n\nthe invoice & terms are attached.",
      attachments: [{ filename: "invoice.pdf", mime_type: "application/pdf", bytes: 48_213 }],
    });
  });

  test("reads HTML where there is nothing else, and other charsets", async () => {
    expect(await runTool(readGmail, { message_id: "18c0ffee00000002" }).output).toMatchObject({
      text: "News\n\nFirst item\n\n- One\n- Two <3",
    });
    expect(await runTool(readGmail, { message_id: "18c0ffee00000003" }).output).toMatchObject({
      text: "Grüße aus Köln",
    });
  });

  test("knows no message that is not there, and takes no path for an id", async () => {
    await expect(runTool(readGmail, { message_id: "18c0ffee0000000f" }).output).rejects.toMatchObject({
      failure: { code: "NOT_FOUND" },
    });
    for (const message_id of ["..", "../labels", "a?b", ""])
      expect(z.safeParse(readGmail.input, { message_id }).success).toBe(false);
  });

  test.each([
    ["no payload", undefined],
    ["a payload that is none", []],
    ["parts in a circle's depth", deep(1_000)],
    ["a thousand parts", { parts: Array.from({ length: 1_000 }, () => ({ mimeType: "text/plain" })) }],
    ["broken base64", { mimeType: "text/plain", body: { data: "%%%" } }],
  ])("reads a message with %s as one without text", async (_, payload) => {
    const answer = answering(() => ({
      id: "a1",
      ...(payload !== undefined && !Array.isArray(payload) && { payload }),
    }));
    expect(await runTool(readGmail, { message_id: "a1" }, { answer }).output).toMatchObject({ text: "" });
  });

  trial("cuts what is long, and says so", async () => {
    const data = Buffer.from("é".repeat(600_000)).toString("base64url");
    const files = Array.from({ length: 200 }, (_, n) => ({
      filename: `${n}-${"n".repeat(500)}`,
      mimeType: "x/y",
    }));
    const payload = { parts: [{ mimeType: "text/plain", body: { data } }, ...files] };
    const output = await runTool(
      readGmail,
      { message_id: "a1" },
      { answer: answering(() => ({ id: "a1", payload })) },
    ).output;
    expect(output).toMatchObject({ text: `${"é".repeat(12_000)}…`, cut: true });
    expect((output as { attachments: object[] }).attachments).toHaveLength(20);
    expect(countTokens(output)).toBeLessThan(5_000);
  });

  trial("reads UTF-8 that is cut inside a character as UTF-8", async () => {
    // 525,000 bytes are decoded, and a character has three: with one or two bytes before them the last one is cut.
    for (const before of ["a", "ab"]) {
      const text = `${before}${"€".repeat(200_000)}`;
      const data = Buffer.from(text).toString("base64url");
      const payload = { mimeType: "text/plain", body: { data } };
      const answer = answering(() => ({ id: "a1", payload }));
      expect(await runTool(readGmail, { message_id: "a1" }, { answer }).output).toMatchObject({
        text: `${text.slice(0, 12_000)}…`,
      });
    }
  });

  trial.each([
    "<".repeat(400_000),
    "<style>".repeat(60_000),
    "<!--".repeat(100_000),
    "<p ".repeat(130_000),
    "&".repeat(400_000),
  ])("reads hostile HTML (%.8s…) in one look", async (html) => {
    const payload = { mimeType: "text/html", body: { data: Buffer.from(html).toString("base64url") } };
    const { output } = runTool(
      readGmail,
      { message_id: "a1" },
      { answer: answering(() => ({ id: "a1", payload })) },
    );
    expect(((await output) as { text: string }).text.length).toBeLessThanOrEqual(12_001);
  });
});

/** A part within a part, so many times. */
function deep(depth: number): object {
  let part: object = { mimeType: "text/plain" };
  for (let level = 0; level < depth; level += 1) part = { mimeType: "multipart/mixed", parts: [part] };
  return part;
}
