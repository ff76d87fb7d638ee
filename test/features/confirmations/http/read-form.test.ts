import { describe, expect, test } from "vitest";

import type { ParkedAction, ParkedGroup } from "../../../../src/features/confirmations/parked-group.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import * as CONFIRMATIONS_LIMITS from "../../../../src/features/confirmations/limits.ts";
import { readForm } from "../../../../src/features/confirmations/http/read-decision-form.ts";
import { parkedAction } from "../../../support/parked-samples.ts";

const ACTIONS = [
  parkedAction("a", { args: { kind: "call", input: { id: "1", n: 2 } } }),
  parkedAction("b", { args: { kind: "waiting", input: { id: { $ref: "a" } } } }),
  parkedAction("c", { args: { kind: "call", input: {} } }),
];
const FORM = { form: "token", args_hash: "hash", decision: "approve" };
const TYPE = "application/x-www-form-urlencoded";

/** Send a form as a browser does from the page, or otherwise. */
function send(
  fields: Readonly<Record<string, string>>,
  {
    headers = {},
    actions = ACTIONS,
  }: { readonly headers?: Record<string, string>; readonly actions?: readonly ParkedAction[] } = {},
) {
  const request = new Request("https://volley.test/approvals/acme/token", {
    method: "POST",
    headers: { "content-type": TYPE, ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  return readForm(request, { formToken: "token", group: { actions } as unknown as ParkedGroup });
}

const formOf = async (fields: Readonly<Record<string, string>>): Promise<unknown> => {
  const read = await send({ ...FORM, ...fields });
  return "form" in read ? read.form : read;
};

describe("A form is taken", () => {
  test("from the page alone, by its token, its type and what the browser says of its origin", async () => {
    for (const headers of [
      {},
      { "sec-fetch-site": "same-origin" },
      { "content-type": `${TYPE.toUpperCase()}; charset=UTF-8` },
    ])
      expect(await send(FORM, { headers })).toMatchObject({ form: { decision: "approve" } });
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "content-type": "text/plain" },
      { "content-type": `text/plain; ${TYPE}` },
      { "content-type": `${TYPE}x` },
    ]) {
      const read = await send(FORM, { headers });
      expect([headers, read]).toEqual([
        headers,
        { status: 403, wrong: expect.stringContaining("did not come from this page") },
      ]);
    }
    for (const form of ["", "tokens", "Token"])
      expect(await send({ ...FORM, form })).toEqual({ status: 403, wrong: expect.any(String) });
    const { form: _, ...without } = FORM;
    expect(await send(without)).toMatchObject({ status: 403 });
  });

  test("without a content type it is none", async () => {
    const request = new Request("https://volley.test/approvals/acme/token", {
      method: "POST",
      body: new TextEncoder().encode(new URLSearchParams(FORM).toString()),
    });
    const group = { actions: ACTIONS } as unknown as ParkedGroup;
    expect(await readForm(request, { formToken: "token", group })).toMatchObject({ status: 403 });
  });

  test("up to the size of any body", async () => {
    const more = (characters: number) => ({ ...FORM, filler: "x".repeat(characters) });
    const own = new URLSearchParams(more(0)).toString().length;
    expect(await send(more(LIMITS.bodyBytes - own))).toHaveProperty("form");
    const long = await send(more(LIMITS.bodyBytes - own + 1));
    expect(long).toEqual({ status: 413, wrong: expect.stringContaining("too long") });
  });

  test("with a yes or a no and nothing else, and keeps what was typed where it is refused", async () => {
    expect(await formOf({})).toEqual({ decision: "approve", shownHash: "hash" });
    expect(await formOf({ decision: "reject" })).toEqual({ decision: "reject", shownHash: "hash" });
    for (const decision of ["", "Approve", "maybe"]) {
      const read = await send({ ...FORM, decision, reason: "typed" });
      expect(read).toMatchObject({ status: 422, wrong: "Say yes or no; nothing was decided." });
      expect(read.typed!.get("reason")).toBe("typed");
    }
    const { args_hash: _, ...without } = FORM;
    expect(await send(without)).toMatchObject({ form: { shownHash: "" } });
  });

  test("with a reason without the space around it, of so many characters and no more", async () => {
    expect(await formOf({ reason: "  Fine \n" })).toHaveProperty("reason", "Fine");
    expect(await formOf({ reason: "  \n" })).not.toHaveProperty("reason");
    const most = "x".repeat(CONFIRMATIONS_LIMITS.reasonCharacters);
    expect(await formOf({ reason: most })).toHaveProperty("reason", most);
    expect(await formOf({ reason: ` ${most} ` })).toHaveProperty("reason", most);
    expect(await send({ ...FORM, reason: `${most}x` })).toMatchObject({
      status: 422,
      wrong: expect.stringContaining(`${CONFIRMATIONS_LIMITS.reasonCharacters} characters`),
    });
  });
});

describe("The arguments of a form", () => {
  test("are those that say something else than what was asked, in whichever layout", async () => {
    expect(await formOf({ "args.0": '{ "n": 2,\n "id": "1" }', "args.2": " {} " })).not.toHaveProperty(
      "args",
    );
    expect(await formOf({ "args.0": '{"id":"2"}', "args.2": '{"more":true}' })).toHaveProperty("args", {
      a: { id: "2" },
      c: { more: true },
    });
  });

  test("are none of an action whose arguments are not known yet, and none with a no", async () => {
    expect(await formOf({ "args.1": "{" })).not.toHaveProperty("args");
    expect(await formOf({ "args.1": '{"id":"2"}' })).not.toHaveProperty("args");
    expect(await formOf({ decision: "reject", "args.0": "{" })).toEqual({
      decision: "reject",
      shownHash: "hash",
    });
  });

  test("are refused by the action's id where they are no JSON object", async () => {
    for (const text of ["", "{", "[]", '"x"', "null", "7"])
      expect([text, await send({ ...FORM, "args.0": text })]).toMatchObject([
        text,
        {
          status: 422,
          wrong: expect.stringMatching(/^The arguments of 'a' are no JSON object\. (?:.+ )?Nothing ran\.$/),
        },
      ]);
    const odd = [parkedAction("a\u202eb", { args: { kind: "call", input: {} } })];
    expect(await send({ ...FORM, "args.0": "[" }, { actions: odd })).toMatchObject({
      wrong: expect.stringContaining("'a\\u{202e}b'"),
    });
  });

  test("keep numbers that a double cannot hold", async () => {
    const read = await formOf({ "args.0": '{"id":"1","n":12345678901234567891}' });
    expect(read).toHaveProperty("args");
    const same = [parkedAction("a", { args: { kind: "call", input: { n: 2 } } })];
    expect(await send({ ...FORM, "args.0": '{"n":2}' }, { actions: same })).not.toHaveProperty("form.args");
  });
});
