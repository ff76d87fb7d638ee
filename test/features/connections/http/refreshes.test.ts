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
