import { describe, expect, test } from "vitest";

import type { Connection, Grant, Link } from "../../../src/features/connections/connection.ts";
import { confirm } from "../../../src/features/connections/connection.ts";
import { beginVisit, endVisit } from "../../../src/features/connections/visit.ts";
import { valueOf } from "../../support/unwrap.ts";

const GRANT: Grant = {
  sealed: "s",
  before: null,
  scopes: [],
  account: null,
  connectedAt: 0,
  refreshAt: null,
  endsAt: null,
  refreshingSince: null,
  brokenBecause: null,
};
const LINK: Link = {
  digest: "link",
  sealed: "x",
  scopes: [],
  returnTo: null,
  expiresAt: 600,
  opened: { state: "state", browser: "browser", verifier: "v", redirectUri: "r", isTaken: true },
  arrival: { code: "code", grant: GRANT },
};
const ARRIVED: Connection = {
  id: "cn_1",
  subject: "ada",
  connector: "acme",
  name: "default",
  createdAt: 0,
  updatedAt: 0,
  grant: null,
  link: LINK,
};
const VISIT = { code: "code", state: "visit", kept: "sealed" };
const BACK = { state: "visit", browser: "browser" };

describe("A visit at the issuer", () => {
  test("begins with the code of who arrived, in time, and only where no application says who came", () => {
    expect(beginVisit(ARRIVED, 599, VISIT).ok).toBe(true);
    expect(beginVisit(ARRIVED, 600, VISIT).ok).toBe(false);
    expect(beginVisit(ARRIVED, 1, { ...VISIT, code: "guessed" }).ok).toBe(false);
    const wrong: Partial<Link>[] = [
      { returnTo: "https://app.acme.dev" },
      { arrival: null },
      { arrival: { code: "code", grant: null } },
    ];
    for (const link of wrong)
      expect(beginVisit({ ...ARRIVED, link: { ...LINK, ...link } }, 1, VISIT).ok).toBe(false);
    expect(beginVisit({ ...ARRIVED, link: null }, 1, VISIT).ok).toBe(false);
  });

  test("ends once, in time, with its own state, in the browser that went to the provider", () => {
    const begun = valueOf(beginVisit(ARRIVED, 1, VISIT));
    expect(endVisit(begun, 600, BACK)).toEqual({ ok: false, error: "gone" });
    expect(endVisit(begun, 2, { ...BACK, state: "state" })).toEqual({ ok: false, error: "gone" });
    for (const browser of ["other", null])
      expect(endVisit(begun, 2, { ...BACK, browser })).toEqual({ ok: false, error: "other-browser" });
    const { connection, visit } = valueOf(endVisit(begun, 2, BACK));
    expect(visit.kept).toBe("sealed");
    expect(endVisit(connection, 3, BACK)).toEqual({ ok: false, error: "gone" });
    expect(endVisit(ARRIVED, 3, BACK)).toEqual({ ok: false, error: "gone" });
  });

  test("leaves what arrived to be confirmed, and ends it where the person did not show who it is", () => {
    const begun = valueOf(beginVisit(ARRIVED, 1, VISIT));
    const { connection } = valueOf(endVisit(begun, 2, BACK));
    expect(confirm(connection, 3, { code: "code", subject: "ada" })).toMatchObject({
      kind: "active",
      connection: { grant: GRANT, link: null },
    });
    expect(confirm(connection, 3, { code: "code", subject: null })).toEqual({
      kind: "other-subject",
      left: null,
    });
  });
});
