import { describe, expect, test } from "vitest";

import {
  arrive,
  type Connection,
  confirm,
  type Grant,
  isGivenAgain,
  openLink,
  startLink,
  stateOf,
  takeState,
  widenLink,
} from "../../../src/features/connections/connection.ts";

const NEW: Connection = {
  id: "cn_1",
  subject: "ada",
  connector: "acme",
  name: "default",
  createdAt: 0,
  updatedAt: 0,
  grant: null,
  link: null,
};
const GRANT: Grant = {
  sealed: "s",
  before: null,
  scopes: [],
  account: "ada@acme.dev",
  connectedAt: 0,
  refreshAt: null,
  endsAt: null,
  refreshingSince: null,
  brokenBecause: null,
};
const OPENING = { digest: "link", state: "state", browser: "browser", verifier: "v", redirectUri: "r" };
const started = startLink(NEW, 0, { digest: "link", sealed: "x", scopes: [], returnTo: null });
const valueOf = <T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T => {
  if (!result.ok) throw new Error(String(result.error));
  return result.value;
};
const opened = valueOf(openLink(started, 1, OPENING));

describe("A link", () => {
  test("is opened by one browser, which may try again until it comes back", () => {
    expect(openLink(opened, 2, OPENING).ok).toBe(true);
    expect(openLink(opened, 2, { ...OPENING, browser: "other" })).toEqual({ ok: false, error: "used" });
    const { connection } = valueOf(takeState(opened, 3, { state: "state", browser: "browser" }));
    expect(openLink(connection, 4, OPENING)).toEqual({ ok: false, error: "used" });
  });

  test("ends after ten minutes, in every step", () => {
    expect(openLink(started, 600_000, OPENING)).toEqual({ ok: false, error: "gone" });
    expect(takeState(opened, 600_000, { state: "state", browser: "browser" })).toEqual({
      ok: false,
      error: "gone",
    });
    const arrived = arrive(opened, 500_000, {
      state: "state",
      code: "c",
      grant: GRANT,
      confirmsItself: false,
    });
    expect(confirm(arrived, 1_099_999, { code: "c", subject: "ada" }).kind).toBe("active");
    expect(confirm(arrived, 1_100_000, { code: "c", subject: "ada" }).kind).toBe("no-code");
  });

  test("takes what comes back once, with its own state, from its own browser", () => {
    const back = { state: "state", browser: "browser" };
    expect(takeState(opened, 2, { ...back, state: "guessed" })).toEqual({ ok: false, error: "gone" });
    expect(takeState(opened, 2, { ...back, browser: "other" })).toEqual({
      ok: false,
      error: "other-browser",
    });
    const { connection } = valueOf(takeState(opened, 2, back));
    expect(takeState(connection, 3, back)).toEqual({ ok: false, error: "used" });
  });

  test("of which another one has taken the place brings nothing any more", () => {
    const anew = startLink(opened, 5, { digest: "link2", sealed: "y", scopes: [], returnTo: null });
    expect(arrive(anew, 6, { state: "state", code: "c", grant: GRANT, confirmsItself: false })).toBe(anew);
  });

  test("is given again to who needs one, while there is time to begin it, and to its end once somebody went", () => {
    expect(isGivenAgain(started.link!, 480_000)).toBe(true);
    expect(isGivenAgain(started.link!, 480_001)).toBe(false);
    expect(isGivenAgain(opened.link!, 599_999)).toBe(true);
    expect(isGivenAgain(opened.link!, 600_000)).toBe(false);
    const back = { state: "state", code: "c", grant: GRANT };
    expect(isGivenAgain(arrive(opened, 2, { ...back, confirmsItself: false }).link!, 3)).toBe(true);
    // Its account is used already, and may do too little.
    expect(isGivenAgain(arrive(opened, 2, { ...back, confirmsItself: true }).link!, 3)).toBe(false);
  });

  test("asks for more scopes as long as nobody has begun it", () => {
    expect(widenLink(started, ["a", "b"]).link!.scopes).toEqual(["a", "b"]);
    expect(widenLink(opened, ["a", "b"])).toBe(opened);
  });
});

describe("A confirmation", () => {
  const arrived = arrive(opened, 2, { state: "state", code: "c", grant: GRANT, confirmsItself: false });

  test("makes the new grant the connection's, and only then", () => {
    expect(stateOf(arrived)).toBe("pending");
    const confirmed = confirm(arrived, 3, { code: "c", subject: "ada" });
    expect(confirmed.kind === "active" && stateOf(confirmed.connection)).toBe("active");
    expect(confirm(arrived, 3, { code: "guessed", subject: "ada" }).kind).toBe("no-code");
  });

  test("of another subject ends what came, and leaves what was there", () => {
    expect(confirm(arrived, 3, { code: "c", subject: "grace" })).toEqual({
      kind: "other-subject",
      left: null,
    });
    const before = { ...arrived, grant: { ...GRANT, account: "before" } };
    expect(confirm(before, 3, { code: "c", subject: "grace" })).toMatchObject({
      kind: "other-subject",
      left: { grant: { account: "before" }, link: null },
    });
  });
});
