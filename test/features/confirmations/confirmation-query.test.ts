import { describe, expect, test } from "vitest";

import { toCursor } from "../../../src/core/contract/gate/job-query.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { parseConfirmationQuery } from "../../../src/features/confirmations/http/confirmation-query.ts";

describe("parseConfirmationQuery()", () => {
  const parseOf = (query: string) => parseConfirmationQuery(new URLSearchParams(query));

  test("reads pages as the list of jobs has them, and 'waiting' as 'pending'", () => {
    const after = { createdAt: 1_800_000_000_000, id: "7b0c9d1e-0000-4000-8000-000000000000" };
    expect(parseOf(`status=waiting&limit=100&cursor=${toCursor(after)}`)).toEqual({
      ok: true,
      value: { status: "pending", limit: 100, after },
    });
    expect(parseOf("status=expired")).toMatchObject({ ok: true, value: { status: "expired" } });
    expect(parseOf("")).toEqual({ ok: true, value: { status: null, limit: LIMITS.jobPage, after: null } });
  });

  test.each([
    ["status=dead", "status", "dead"],
    ["status=waiting&status=done", "status", "waiting, done"],
    ["tool=x", "tool", "tool"],
    ["limit=101", "limit", "101"],
    ["cursor=x_y", "cursor", "x_y"],
  ])("refuses '%s', and names what is wrong with it", (query, path, received) => {
    expect(parseOf(query)).toMatchObject({
      ok: false,
      error: { code: "INVALID_QUERY", issue: { path, received } },
    });
  });
});
