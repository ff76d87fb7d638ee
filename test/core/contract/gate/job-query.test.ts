import { describe, expect, test } from "vitest";

import { parseJobQuery, toCursor } from "../../../../src/core/contract/gate/job-query.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";

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

  test("takes a tool, and times with their offset as the bounds of when jobs were created", () => {
    expect(
      parse("tool=send_email&since=2026-12-01T08:00:00%2B01:00&until=2026-12-02T00:00:00.5Z"),
    ).toMatchObject({
      ok: true,
      value: { tools: ["send_email"], since: 1_796_108_400_000, until: 1_796_169_600_500 },
    });
  });

  test("takes the batch that asked for the jobs", () => {
    expect(parse("batch_id=4f9c")).toMatchObject({ ok: true, value: { batchId: "4f9c" } });
  });

  test.each([
    ["since=yesterday", "since", "yesterday"],
    ["since=2026-12-01", "since", "2026-12-01"],
    ["until=2026-02-30T00:00:00Z", "until", "2026-02-30T00:00:00Z"],
    ["until=2026-12-01T08:00:00", "until", "2026-12-01T08:00:00"],
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
    ["from=1", "from", "from"],
    ["__proto__=1", "__proto__", "__proto__"],
  ])("refuses '%s', and names what is wrong with it", (query, path, received) => {
    const parsed = parse(query);
    expect(parsed).toMatchObject({
      ok: false,
      error: { code: "INVALID_QUERY", issue: { path, received, expected: expect.any(String) } },
    });
  });
});
