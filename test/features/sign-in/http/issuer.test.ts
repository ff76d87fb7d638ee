import { describe, expect, test } from "vitest";

import { HOUR, makeKey, ScriptedIssuer } from "./scripted-issuer.ts";
import { trial } from "../../../support/trial.ts";

const METADATA = "/.well-known/openid-configuration";

describe("The keys of an issuer", () => {
  test("are read again where one was replaced under the same name, and people sign in at once", async () => {
    const issuer = new ScriptedIssuer([await makeKey("ES256", "key")]);
    expect(await issuer.signIn()).toBe("ada");
    issuer.keys = [await makeKey("ES256", "key")];
    expect(await issuer.signIn()).toBe("ada");
    expect(issuer.count("/keys")).toBe(2);
  });

  trial(
    "T51 are read again once a minute, however many wrong signatures and unknown keys there are",
    async () => {
      const known = await makeKey("ES256", "key");
      const issuer = new ScriptedIssuer([known]);
      const other = await makeKey("ES256", "key");
      const unknown = await makeKey("ES256", "unknown");
      // It signs with keys that it does not publish.
      const signWith = ({ alg, kid, privateKey }: typeof known) => {
        issuer.keys = [{ ...known, alg, kid, privateKey }];
        issuer.publishes = [known];
      };
      for (let second = 0; second < 120; second += 1) {
        signWith(second % 2 === 0 ? other : unknown);
        expect(await issuer.signIn()).toMatch(/signature is wrong|unknown key/);
        await issuer.clock.advance(1_000);
      }
      expect(issuer.count("/keys")).toBe(3);
      signWith(known);
      expect(await issuer.signIn()).toBe("ada");
    },
  );

  test("that could not be read again are used as they are known", async () => {
    const issuer = new ScriptedIssuer([await makeKey("ES256", "key")]);
    await issuer.signIn();
    const { keys } = issuer;
    issuer.keys = [await makeKey("ES256", "key")];
    issuer.failing = ["/keys"];
    expect(await issuer.signIn()).toContain("keys cannot be read");
    issuer.keys = keys;
    expect(await issuer.signIn()).toBe("ada");
  });

  trial("are chosen by the algorithm and the curve where the token names none", async () => {
    const es256 = await makeKey("ES256");
    const es384 = await makeKey("ES384");
    const rs256 = await makeKey("RS256");
    for (const [signing, ...others] of [
      [es256, es384, rs256],
      [es384, rs256, es256],
      [rs256, es256, es384],
    ]) {
      const issuer = new ScriptedIssuer([signing!, ...others]);
      expect(await issuer.signIn(), signing!.alg).toBe("ada");
    }
  });

  test("T51 are not chosen among several of one kind where the token names none", async () => {
    const issuer = new ScriptedIssuer([await makeKey("ES256"), await makeKey("ES256")]);
    expect(await issuer.signIn()).toContain("unknown key");
  });
});

describe("An issuer whose document cannot be read", () => {
  test("is not waited for by each person anew: it is asked again after ten seconds", async () => {
    const issuer = new ScriptedIssuer([await makeKey("ES256", "key")]);
    issuer.answers = "not at all";
    const first = issuer.begin();
    await issuer.clock.advance(10_000);
    expect(await first).toContain("document cannot be read");
    for (let person = 0; person < 10; person += 1)
      expect(await issuer.begin()).toContain("document cannot be read");
    expect(issuer.count(METADATA)).toBe(1);
    issuer.answers = "as it does";
    await issuer.clock.advance(10_000);
    expect(await issuer.begin()).toBe("sent");
  });

  test("holds nobody up whose document is remembered, for an hour", async () => {
    const issuer = new ScriptedIssuer([await makeKey("ES256", "key")]);
    await issuer.signIn();
    issuer.failing = [METADATA, "/keys"];
    await issuer.clock.advance(HOUR - 1);
    expect(await issuer.signIn()).toBe("ada");
    await issuer.clock.advance(1);
    expect(await issuer.signIn()).toContain("document cannot be read");
  });

  test("is told of where it is the document of another one, and that is remembered too", async () => {
    const issuer = new ScriptedIssuer([await makeKey("ES256", "key")]);
    issuer.metadata = { issuer: "https://evil.example" };
    expect([await issuer.begin(), await issuer.begin()]).toEqual(
      Array.from({ length: 2 }, () => "the issuer's document is of another issuer"),
    );
    expect(issuer.count(METADATA)).toBe(1);
  });
});

describe("T51 The issuer that the way back names", () => {
  const OTHER = { iss: "https://evil.example" };

  test("must be the one where it is named", async () => {
    const issuer = new ScriptedIssuer([await makeKey("ES256", "key")]);
    expect(await issuer.signIn(OTHER)).toContain("of another issuer");
    expect(issuer.asked).toEqual([]);
  });

  test("must be named where the issuer says that it names itself, and its code is not shown to it then", async () => {
    const issuer = new ScriptedIssuer([await makeKey("ES256", "key")]);
    expect(await issuer.signIn({})).toBe("ada");
    const naming = new ScriptedIssuer(issuer.keys);
    naming.metadata = { authorization_response_iss_parameter_supported: true };
    expect(await naming.signIn({})).toContain("does not say of which issuer");
    expect(naming.asked).toEqual([METADATA]);
    expect(await naming.signIn()).toBe("ada");
  });
});

describe("T51 An ID token", () => {
  test("that was made more than a minute in the future signs nobody in", async () => {
    const issuer = new ScriptedIssuer([await makeKey("ES256", "key")]);
    const now = issuer.clock.now() / 1_000;
    issuer.claims = { iat: now + 60 };
    expect(await issuer.signIn()).toBe("ada");
    for (const iat of [now + 61, "now", null]) {
      issuer.claims = { iat };
      expect(await issuer.signIn()).toContain("not good yet");
    }
  });
});
