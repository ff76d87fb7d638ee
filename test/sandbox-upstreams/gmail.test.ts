import { beforeEach, describe, expect, test } from "vitest";

import { resetGmail } from "../sandbox/upstreams/gmail.ts";
import { callStandIn } from "./call-stand-in.ts";
import { authorize } from "./google-access-token.ts";

const MESSAGES = "https://gmail.googleapis.com/gmail/v1/users/me/messages";
const BODY = Buffer.from("Hello").toString("base64");
const HEAD = [
  "To: a@example.com",
  "Subject: Hi",
  "MIME-Version: 1.0",
  "Content-Type: text/plain; charset=UTF-8",
  "Content-Transfer-Encoding: base64",
];

beforeEach(resetGmail);

const get = async (path: string) => callStandIn(`${MESSAGES}${path}`, { headers: await authorize() });

async function send(lines: readonly string[], raw = Buffer.from(lines.join("\r\n")).toString("base64url")) {
  const headers = { ...(await authorize()), "content-type": "application/json" };
  return callStandIn(`${MESSAGES}/send`, { method: "POST", headers, body: JSON.stringify({ raw }) });
}

test("a mail is sent, found and read", async () => {
  const sent = await send([
    ...HEAD.slice(0, 1),
    "Subject: =?UTF-8?B?R3I=?=\r\n =?UTF-8?B?w7zDn2U=?=",
    ...HEAD.slice(2),
    "",
    BODY,
  ]);
  expect(sent).toMatchObject({ status: 200, body: { labelIds: ["SENT"] } });
  const { id } = sent.body as { id: string };
  expect(await get("?q=in:sent&fields=messages(id)")).toEqual({ status: 200, body: { messages: [{ id }] } });
  expect(await get(`/${id}?format=metadata&metadataHeaders=Subject&fields=payload(headers)`)).toEqual({
    status: 200,
    body: { payload: { headers: [{ name: "Subject", value: "Grüße" }] } },
  });
});

describe("A mail is refused", () => {
  test.each([
    ["without recipients", [...HEAD.slice(1), "", BODY]],
    ["to what is no address", ["To: Ann", ...HEAD.slice(1), "", BODY]],
    ["with two subjects", [...HEAD, "Subject: again", "", BODY]],
    ["with a header that is not ASCII", ["To: a@example.com", "Subject: Grüße", ...HEAD.slice(2), "", BODY]],
    ["with a header that has no name", [...HEAD, "hello", "", BODY]],
    ["without a body", HEAD],
    ["with a body that is no base64", [...HEAD, "", "%%%"]],
    ["with a long line", [...HEAD, "", "A".repeat(80)]],
    ["with bare line feeds", [HEAD.join("\n"), "", BODY]],
    ["of another kind", [...HEAD.slice(0, 3), "Content-Type: text/html", HEAD[4]!, "", BODY]],
  ])("%s", async (_, lines) => {
    expect(await send(lines)).toMatchObject({ status: 400, body: { error: { code: 400 } } });
  });

  test("that is not base64url", async () => {
    expect(await send([], "a+b/c=")).toMatchObject({ status: 400 });
  });
});

test.each([
  ["?limit=3", 400],
  ["/not-an-id", 400],
  ["/18c0ffee00000001?format=whole", 400],
  ["/18c0ffee0000000f", 404],
])("GET %s is refused with %d", async (path, status) => {
  expect(await get(path)).toMatchObject({ status, body: { error: { code: status } } });
});

test("a request without a token is refused", async () => {
  expect(await callStandIn(MESSAGES)).toMatchObject({
    status: 401,
    body: { error: { status: "UNAUTHENTICATED" } },
  });
});
