import { describe, expect, test } from "vitest";

import { type Connection, type Grant, timesOf } from "../../../../src/features/connections/connection.ts";
import { type OAuthConnector, STANDARD } from "../../../../src/features/connections/connectors/connector.ts";
import { type Opened, Refreshes } from "../../../../src/features/connections/objects/refreshes.ts";
import type { KeptTokens } from "../../../../src/features/connections/objects/token-box.ts";

const CONNECTOR: OAuthConnector = {
  ...STANDARD,
  kind: "oauth2",
  name: "acme",
  clientId: "volley",
  secret: "S",
  authorizeUrl: "https://id.acme.dev/authorize",
  tokenUrl: "https://id.acme.dev/token",
  refreshUrl: "https://id.acme.dev/token",
  revokeUrl: null,
  issuer: null,
  scopes: [],
  origins: new Set(["https://api.acme.dev"]),
  tenants: null,
};

/** How a provider treats the refresh token before, once it has given the next one. */
type Rotation = "none" | "forgets at once" | "until the next one is used";

/** A kill: nothing that runs in the object goes on, and what is not written is gone. */
const KILLED = Symbol("killed");

/**
 * An object with its storage, a provider that rotates refresh tokens, and a kill at the nth of the points at which the object waits for
 * something or has just written.
 */
class World {
  now = 0;
  readonly rotation: Rotation;
  /** The row on disk. */
  row: Connection;
  refreshes = 0;
  /** Happens while the provider is asked. */
  whileAsked: (() => void) | undefined;
  /** Tokens that came for no connection. */
  readonly unused: KeptTokens[] = [];
  killAt = Number.POSITIVE_INFINITY;
  #points = 0;
  #made = 0;
  /** Good refresh tokens at the provider, and the one that each replaced. */
  readonly #good = new Map<string, string | null>([["r0", null]]);
  #object: Refreshes;
  /** Tokens that are opened from now on are open when it is over. */
  opening = Promise.resolve();
  /** Refusals that came, whether other accounts get the same, and those of the client that were told. */
  readonly refused: string[] = [];
  isAlike = false;
  readonly told: string[] = [];
  /** A refusal in place of the provider's answer. */
  refuses: { status: number; text: string; retryAfterMs?: number } | undefined;
  /** Whether the provider answers, and how. */
  answers: "as it does" | "not at all" | "with 503" = "as it does";

  constructor(rotation: Rotation) {
    this.rotation = rotation;
    this.row = {
      id: "cn_1",
      subject: "ada",
      connector: "acme",
      name: "default",
      createdAt: 0,
      updatedAt: 0,
      link: null,
      grant: { ...GRANT, sealed: seal({ access: "a0", refresh: "r0" }), ...timesOf(0, 3_600) },
    };
    this.#object = this.#create();
  }

  /** Count a point; a kill there rejects whatever waits. */
  #point(): void {
    this.#points += 1;
    if (this.#points === this.killAt) throw KILLED;
  }

  #create(): Refreshes {
    return new Refreshes({
      clock: { now: () => this.now },
      table: {
        find: () => this.row,
        put: (row) => {
          this.row = structuredClone(row);
          this.#point();
        },
      },
      box: {
        seal: async (_, tokens) => {
          await Promise.resolve();
          this.#point();
          return seal(tokens);
        },
        open: async (_, sealed) => {
          await this.opening;
          this.#point();
          return JSON.parse(sealed) as KeptTokens;
        },
      },
      clientOf: () => ({ connector: CONNECTOR, secret: "s" }),
      onRefused: ({ answer }) => void this.refused.push(answer),
      isAlike: async () => this.isAlike,
      onClientRefused: (_, answer) => void this.told.push(answer),
      onBroken: () => {},
      onUnused: (_, tokens) => void this.unused.push(tokens),
      ask: async ({ body }) => {
        this.#point();
        await Promise.resolve();
        this.whileAsked?.();
        const came = this.#provide(new URLSearchParams(body).get("refresh_token")!);
        // Killed while the answer was on its way: the provider has done its part.
        this.#point();
        return this.answers === "not at all" ? null : came;
      },
    });
  }

  #provide(refresh: string): { status: number; text: string } {
    if (this.answers === "with 503") return { status: 503, text: "" };
    this.refreshes += 1;
    if (this.refuses !== undefined) return this.refuses;
    if (!this.#good.has(refresh)) return { status: 400, text: JSON.stringify({ error: "invalid_grant" }) };
    const before = this.#good.get(refresh) ?? null;
    // The use of the new one is the end of the one before.
    if (before !== null) this.#good.delete(before);
    const access = `a${(this.#made += 1)}`;
    const text = { access_token: access, expires_in: 3_600 };
    if (this.rotation === "none") return { status: 200, text: JSON.stringify(text) };
    const next = `r${this.#made}`;
    if (this.rotation === "forgets at once") this.#good.delete(refresh);
    this.#good.set(next, this.rotation === "forgets at once" ? null : refresh);
    return { status: 200, text: JSON.stringify({ ...text, refresh_token: next }) };
  }

  /** Make the provider lose the token that it gave last, before it has kept it: the one before is the good one still. */
  lose(): void {
    const last = `r${this.#made}`;
    this.#good.delete(last);
    this.#good.set(this.#made === 1 ? "r0" : `r${this.#made - 1}`, null);
  }

  /** Make the provider forget every refresh token. */
  end(): void {
    this.#good.clear();
  }

  open(isRefused?: (tokens: KeptTokens) => boolean): Promise<Opened> {
    return this.#object.open("cn_1", isRefused);
  }

  /** Open the tokens with a kill at a point; the object begins anew from what was written. True where it came to that. */
  async openKilledAt(point: number): Promise<boolean> {
    this.#points = 0;
    this.killAt = point;
    const ended = await this.open().then(
      () => false,
      (error: unknown) => {
        if (error !== KILLED) throw error;
        return true;
      },
    );
    this.killAt = Number.POSITIVE_INFINITY;
    this.#object = this.#create();
    return ended;
  }
}

const GRANT: Omit<Grant, "sealed" | "refreshAt" | "endsAt"> = {
  before: null,
  scopes: [],
  account: null,
  connectedAt: 0,
  refreshingSince: null,
  brokenBecause: null,
};

const seal = (tokens: KeptTokens): string => JSON.stringify(tokens);
const HOUR = 3_600_000;

describe("A refresh", () => {
  test("is one for any number of calls that wait for it", async () => {
    const world = new World("forgets at once");
    world.now = HOUR;
    const opened = await Promise.all(Array.from({ length: 100 }, () => world.open()));
    expect(world.refreshes).toBe(1);
    expect(new Set(opened.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  test.each([
    ["refreshed", () => {}, { kind: "tokens", tokens: { access: "a1", refresh: "r1" } }],
    ["found broken", (world: World) => world.end(), { kind: "broken", because: "revoked" }],
  ])("is not made anew for tokens that another call has %s while they were opened", async (_, begin, end) => {
    const world = new World("forgets at once");
    begin(world);
    world.now = HOUR;
    const { promise, resolve } = Promise.withResolvers<void>();
    world.opening = promise;
    const late = world.open();
    world.opening = Promise.resolve();
    expect(await world.open()).toEqual(end);
    resolve();
    expect(await late).toEqual(end);
    expect(await world.open()).toEqual(end);
    expect(world.refreshes).toBe(1);
  });

  test("comes a minute before the end, counted from the question, because clocks differ", async () => {
    const world = new World("none");
    world.now = HOUR - 60_001;
    await world.open();
    expect(world.refreshes).toBe(0);
    world.now = HOUR - 60_000;
    await world.open();
    expect(world.refreshes).toBe(1);
    expect(timesOf(1_000, 30)).toEqual({ refreshAt: 16_000, endsAt: 31_000 });
  });

  test("that fails leaves the token in use as long as it is good", async () => {
    for (const answers of ["not at all", "with 503"] as const) {
      const world = new World("forgets at once");
      world.answers = answers;
      world.now = HOUR - 5_000;
      expect(await world.open()).toMatchObject({ kind: "tokens" });
      world.now = HOUR;
      expect(await world.open()).toEqual({ kind: "failed", retryAfterMs: 10_000 });
    }
  });

  test("is not asked for again until a pause is over after it failed, and leaves the token in use meanwhile", async () => {
    const world = new World("forgets at once");
    world.answers = "not at all";
    world.now = HOUR - 5_000;
    await world.open();
    world.answers = "as it does";
    const { refreshes } = world;
    world.now = HOUR - 1;
    expect(await world.open()).toMatchObject({ kind: "tokens", tokens: { access: "a0" } });
    expect(await world.open(() => true)).toEqual({ kind: "kept-back", retryAfterMs: 1 });
    expect(world.refreshes).toBe(refreshes);
  });

  test("follows a refusal of the service, unless another call has refreshed already", async () => {
    const world = new World("forgets at once");
    const refused = ({ access }: KeptTokens): boolean => access === "a0";
    expect(await world.open(refused)).toMatchObject({ tokens: { access: "a1" } });
    expect(await world.open(refused)).toMatchObject({ tokens: { access: "a1" } });
    expect(world.refreshes).toBe(1);
  });

  test("that is refused makes the connection broken, for good", async () => {
    const world = new World("none");
    world.end();
    world.now = HOUR;
    expect(await world.open()).toEqual({ kind: "broken", because: "revoked" });
    expect(await world.open()).toEqual({ kind: "broken", because: "revoked" });
    expect(world.refreshes).toBe(1);
  });

  test("keeps what was there before until the next one has been good", async () => {
    const world = new World("until the next one is used");
    world.now = HOUR;
    await world.open();
    expect(world.row.grant!.before).toBe(seal({ access: "a0", refresh: "r0" }));
    world.now = 2 * HOUR;
    await world.open();
    expect(world.row.grant!.before).toBe(seal({ access: "a1", refresh: "r1" }));
  });
});

describe("A refresh token that is refused", () => {
  const REFUSAL = { status: 400, text: JSON.stringify({ error: "invalid_request" }) };
  const refusing = (refuses: World["refuses"] = REFUSAL): World => {
    const world = new World("none");
    world.refuses = refuses;
    world.now = HOUR;
    return world;
  };
  /** Ask at seconds after the hour, and say how often the provider was asked by then. */
  const askAt = async (world: World, seconds: readonly number[]): Promise<unknown[]> => {
    const seen: unknown[] = [];
    for (const second of seconds) {
      world.now = HOUR + 1_000 * second;
      const opened = await world.open();
      seen.push([
        second,
        world.refreshes,
        opened.kind,
        "retryAfterMs" in opened ? opened.retryAfterMs : null,
      ]);
    }
    return seen;
  };

  test("in words that may mean anything is asked about at once, after 20 s and after 40 s, and then makes it broken", async () => {
    const world = refusing();
    expect(await askAt(world, [0, 5, 19, 20, 59, 60])).toEqual([
      [0, 2, "failed", 20_000],
      [5, 2, "failed", 15_000],
      [19, 2, "failed", 1_000],
      [20, 3, "failed", 40_000],
      [59, 3, "failed", 1_000],
      [60, 4, "broken", null],
    ]);
    expect(world.row.grant!.brokenBecause).toBe("revoked");
    expect(world.refused).toEqual(Array.from({ length: 3 }, () => "400 invalid_request"));
  });

  test("is none of the account's where another one got the same: the client is wrong, which is told once, and asked about each minute", async () => {
    const world = refusing();
    world.isAlike = true;
    expect(await askAt(world, [0, 20, 60, 61, 120, 180])).toEqual([
      [0, 2, "failed", 20_000],
      [20, 3, "failed", 40_000],
      [60, 4, "failed", 60_000],
      [61, 4, "failed", 59_000],
      [120, 5, "failed", 60_000],
      [180, 6, "failed", 60_000],
    ]);
    expect(world.told).toEqual(["400 invalid_request"]);
    world.refuses = undefined;
    expect(await askAt(world, [240])).toEqual([[240, 7, "tokens", null]]);
    expect(world.row.grant!.refusals).toBeUndefined();
  });

  test("in a row is what counts: one that is good once begins anew", async () => {
    const world = refusing();
    await askAt(world, [0, 20]);
    world.refuses = undefined;
    await askAt(world, [60]);
    world.refuses = REFUSAL;
    world.now = 2 * HOUR + 60_000;
    expect(await world.open()).toEqual({ kind: "failed", retryAfterMs: 20_000 });
  });

  test("survives a kill between two of them", async () => {
    const world = refusing();
    await askAt(world, [0]);
    await world.openKilledAt(99);
    expect(await askAt(world, [10, 20])).toEqual([
      [10, 2, "failed", 10_000],
      [20, 3, "failed", 40_000],
    ]);
  });

  test("because the client is none makes no connection broken, and is not asked about on every call", async () => {
    const world = refusing({ status: 401, text: JSON.stringify({ error: "invalid_client" }) });
    expect(await askAt(world, [0, 1, 20, 60, 120, 180])).toEqual([
      [0, 1, "misconfigured", null],
      [1, 1, "misconfigured", null],
      [20, 2, "misconfigured", null],
      [60, 3, "misconfigured", null],
      [120, 4, "misconfigured", null],
      [180, 5, "misconfigured", null],
    ]);
    expect(world.told).toEqual(["401 invalid_client"]);
  });

  test("leaves the token in use as long as it is good", async () => {
    const world = refusing();
    world.now = HOUR - 30_000;
    expect(await world.open()).toMatchObject({ kind: "tokens", tokens: { access: "a0" } });
    expect(await world.open()).toMatchObject({ kind: "tokens", tokens: { access: "a0" } });
    expect(world.refreshes).toBe(2);
  });

  test.each([429, 503, 408])("with %i is asked for again when the provider says", async (status) => {
    const world = refusing({ status, text: "", retryAfterMs: 90_000 });
    expect(await askAt(world, [0, 60, 89])).toEqual([
      [0, 1, "failed", 90_000],
      [60, 1, "kept-back", 30_000],
      [89, 1, "kept-back", 1_000],
    ]);
    world.refuses = undefined;
    expect(await askAt(world, [90])).toEqual([[90, 2, "tokens", null]]);
  });

  test("though it is the latest is no end where the one before is good still: the provider gave the next one and did not keep it", async () => {
    const world = new World("until the next one is used");
    world.now = HOUR;
    expect(await world.open()).toMatchObject({ tokens: { access: "a1", refresh: "r1" } });
    world.lose();
    world.now = 2 * HOUR;
    expect(await world.open()).toMatchObject({ tokens: { access: "a2", refresh: "r2" } });
    expect(world.refreshes).toBe(3);
    world.now = 3 * HOUR;
    expect(await world.open()).toMatchObject({ kind: "tokens" });
  });
});

describe("A connection that is changed during its refresh", () => {
  /** Have the row changed while the provider is asked. */
  const openWhile = (world: World, change: (grant: Grant) => Grant): Promise<Opened> => {
    world.whileAsked = () => {
      world.row = { ...world.row, grant: change(world.row.grant!) };
    };
    return world.open();
  };

  test("keeps the refresh token that came where it was sealed anew meanwhile", async () => {
    const world = new World("forgets at once");
    world.now = HOUR;
    const opened = await openWhile(world, (grant) => ({ ...grant, sealed: `${grant.sealed} ` }));
    expect(opened).toMatchObject({ kind: "tokens", tokens: { access: "a1", refresh: "r1" } });
    expect(world.row.grant!.before).toBe(`${seal({ access: "a0", refresh: "r0" })} `);
    world.now = 2 * HOUR;
    expect(await world.open()).toMatchObject({ kind: "tokens", tokens: { access: "a2", refresh: "r2" } });
  });

  test("is broken by a refusal where it was sealed anew meanwhile", async () => {
    const world = new World("none");
    world.end();
    world.now = HOUR;
    const opened = await openWhile(world, (grant) => ({ ...grant, sealed: `${grant.sealed} ` }));
    expect(opened).toEqual({ kind: "broken", because: "revoked" });
    expect(world.row.grant!.brokenBecause).toBe("revoked");
  });

  test.each(["none", "forgets at once"] as const)(
    "is opened with the account that it was connected to anew: rotation %s",
    async (rotation) => {
      const world = new World(rotation);
      world.now = HOUR;
      const anew = { access: "other", refresh: "r-other" };
      const opened = await openWhile(world, (grant) => ({
        ...grant,
        sealed: seal(anew),
        connectedAt: HOUR,
        ...timesOf(HOUR, 3_600),
        refreshingSince: null,
      }));
      expect(opened).toEqual({ kind: "tokens", tokens: anew });
      expect(await world.open()).toEqual({ kind: "tokens", tokens: anew });
      // It may be of the same account, all of whose tokens would end.
      expect(world.unused).toEqual([]);
    },
  );
});

describe("F32 an object that is killed during a refresh", () => {
  const points = Array.from({ length: 8 }, (_, at) => at + 1);

  test.each(["none", "until the next one is used"] as const)(
    "goes on, wherever that was, where the provider's rotation is: %s",
    async (rotation) => {
      let kills = 0;
      for (const point of points) {
        const world = new World(rotation);
        for (let hour = 1; hour < 4; hour += 1) {
          world.now = hour * HOUR;
          if (await world.openKilledAt(point)) kills += 1;
          expect(await world.open(), `killed at ${point}, hour ${hour}`).toMatchObject({ kind: "tokens" });
        }
      }
      expect(kills).toBeGreaterThan(6);
    },
  );

  test("goes on or says that it is broken, and why, where the provider forgets at once", async () => {
    const ends = new Set<string>();
    for (const point of points) {
      const world = new World("forgets at once");
      world.now = HOUR;
      const killed = await world.openKilledAt(point);
      const written = JSON.parse(world.row.grant!.sealed) as KeptTokens;
      const opened = await world.open();
      if (killed && opened.kind === "broken") {
        // The provider had answered, and its answer was not written yet.
        expect(written.refresh).toBe("r0");
        expect(opened.because).toBe("refresh_lost");
      } else expect(opened.kind).toBe("tokens");
      ends.add(`${killed}: ${opened.kind}`);
    }
    expect(ends).toEqual(new Set(["true: tokens", "true: broken", "false: tokens"]));
  });

  test("has written a new refresh token before anything used what came with it", async () => {
    const world = new World("forgets at once");
    world.now = HOUR;
    const opened = await world.open();
    expect(opened).toMatchObject({ kind: "tokens", tokens: { access: "a1", refresh: "r1" } });
    expect(JSON.parse(world.row.grant!.sealed)).toEqual({ access: "a1", refresh: "r1" });
  });
});
