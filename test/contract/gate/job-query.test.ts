import { describe, expect, test } from "vitest";

import { parseJobQuery, toCursor } from "../../../src/contract/gate/job-query.ts";
import { LIMITS } from "../../../src/contract/limits.ts";

const parse = (query: string) => parseJobQuery(new URLSearchParams(query));

describe("parseJobQuery()", () => {
  test("begins with the newest, of every status, when nothing is asked", () => {
    expect(parse("")).toEqual({ ok: true, value: { status: null, limit: LIMITS.jobPage, after: null } });
  });

  test("takes a status, a limit and a cursor of its own", () => {
    const after = { createdAt: 1_800_000_000_000, id: "7b0c9d1e-0000-4000-8000-000000000000" };
    expect(parse(`status=dead&limit=100&cursor=${toCursor(after)}`)).toEqual({
      ok: true,
      value: { status: "dead", limit: 100, after },
    });
  });

  test.each([
    ["status=done", "status", "done"],
    ["status=", "status", ""],
    ["status=dead&status=failed", "status", "dead, failed"],
    ["limit=0", "limit", "0"],
    ["limit=101", "limit", "101"],
    ["limit=-1", "limit", "-1"],
    ["limit=2.5", "limit", "2.5"],
    ["limit=1e1", "limit", "1e1"],
    ["limit=", "limit", ""],
    ["cursor=", "cursor", ""],
    ["cursor=1_", "cursor", "1_"],
    ["cursor=x_y", "cursor", "x_y"],
    ["cursor=1_a%20b", "cursor", "1_a b"],
    ["tool=send_email", "tool", "tool"],
    ["__proto__=1", "__proto__", "__proto__"],
  ])("refuses '%s', and names what is wrong with it", (query, path, received) => {
    const parsed = parse(query);
    expect(parsed).toMatchObject({
      ok: false,
      error: { code: "INVALID_QUERY", issue: { path, received, expected: expect.any(String) } },
    });
  });
});
