import { describe, expect, test } from "vitest";
import { LinkVisits, VisitorRates } from "../../src/cloudflare/http/visitor-rates.ts";

const from = (address: string) => ({ headers: new Headers({ "cf-connecting-ip": address }) });
const open = (most?: number) => {
  const each = { limit: 3, windowS: 60 };
  return new LinkVisits(new VisitorRates({ each, all: { limit: 1_000, windowS: 60 }, visitors: 10 }), most);
};

describe("Requests by links", () => {
  test("T59 draw from their address until the link is found, and that one is given back", () => {
    const visits = open();
    for (let n = 0; n < 20; n += 1) {
      const visit = { request: from("192.0.2.1"), digest: `real ${n}` };
      expect(visits.draw(visit, 0)).toBe(0);
      visits.found(visit, 0);
    }
    const forged = Array.from({ length: 4 }, (_, n) =>
      visits.draw({ request: from("192.0.2.1"), digest: `forged ${n}` }, 0),
    );
    expect(forged).toEqual([0, 0, 0, 20_000]);
    // Those that were found go on, 240 a minute each.
    const own = Array.from({ length: 240 }, () =>
      visits.draw({ request: from("192.0.2.1"), digest: "real 0" }, 0),
    );
    expect([own.filter((wait) => wait === 0).length, own.at(-1)]).toEqual([239, 250]);
    expect(visits.draw({ request: from("192.0.2.1"), digest: "real 1" }, 0)).toBe(0);
  });

  test("T59 draw from their address again once the link is over, or is forgotten for others", () => {
    const visits = open(2);
    const visit = (digest: string) => ({ request: from("192.0.2.1"), digest });
    for (const digest of ["a", "b", "c"]) visits.found(visit(digest), 0);
    visits.gone(visit("c"));
    const draws = ["a", "c", "a", "c", "b"].map((digest) => visits.draw(visit(digest), 0));
    expect(draws.map((wait) => wait > 0)).toEqual([false, false, false, true, false]);
  });
});
