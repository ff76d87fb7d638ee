import { describe, expect, test } from "vitest";

import { PUBLIC_HOSTS, type Tool } from "../../../src/core/catalog/define-tool.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import {
  LookupFailure,
  lookUpSecrets,
  readBinding,
  readSecret,
  redactAlso,
  redactFailure,
  redactMessage,
  redactorOf,
  signWithSecret,
} from "../../../src/core/egress/tool-secrets.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";

const TOOL = contractOf("mail", {
  secrets: ["MAIL_TOKEN"],
  bindings: ["BUCKET"],
  hosts: ["api.example.com"],
});
const ANYWHERE: Tool = { ...contractOf("deliver", { secrets: ["MAIL_TOKEN"] }), hosts: PUBLIC_HOSTS };
const CALLER = { tenant: "acme", key: "agent" };
const SIGNING = (letter: string): string => `whsec_${btoa(letter.repeat(32))}`;
const valueOf =
  (value: string | undefined) =>
  (name: string): string | undefined =>
    name === "MAIL_TOKEN" ? value : undefined;
const missing = (name: string) => ({
  failure: { code: "MISCONFIGURED", hint: expect.stringContaining(name) as string },
});

/** The error that is thrown, whole. */
function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown");
}

describe("A tool's secret", () => {
  test("is given to a tool that declares it, and only where it is set", () => {
    expect(readSecret(TOOL, "MAIL_TOKEN", valueOf("geheim"))).toBe("geheim");
    expect(thrownBy(() => readSecret(TOOL, "MAIL_TOKEN", valueOf(undefined)))).toMatchObject(
      missing("MAIL_TOKEN"),
    );
    expect(() => readSecret(TOOL, "OTHER", () => "geheim")).toThrow("does not declare it");
  });

  test("is never given to a tool that may go anywhere: it only signs", async () => {
    expect(() => readSecret(ANYWHERE, "MAIL_TOKEN", valueOf("geheim"))).toThrow("only signs");
    const sign = async (key: Uint8Array, text: string) => `${new TextDecoder().decode(key)} ${text}`;
    const secret = `${SIGNING("a")} ${SIGNING("b")}`;
    const asked = { name: "MAIL_TOKEN", text: "hello" };
    expect(await signWithSecret(ANYWHERE, asked, { secretOf: valueOf(secret), sign })).toEqual([
      `${"a".repeat(32)} hello`,
      `${"b".repeat(32)} hello`,
    ]);
    for (const flawed of ["geheim", undefined])
      await expect(
        signWithSecret(ANYWHERE, asked, { secretOf: valueOf(flawed), sign }),
      ).rejects.toMatchObject(missing("MAIL_TOKEN"));
    await expect(
      signWithSecret(ANYWHERE, { ...asked, name: "OTHER" }, { secretOf: () => secret, sign }),
    ).rejects.toThrow("does not declare it");
  });
});

test("A tool's binding is given to a tool that declares it, and only where there is one", () => {
  const world = new TestWorld();
  expect(thrownBy(() => readBinding(TOOL, "BUCKET", world.ports))).toMatchObject(missing("BUCKET"));
  const bucket = {};
  world.bindings.set("BUCKET", bucket).set("OTHER", bucket);
  expect(readBinding(TOOL, "BUCKET", world.ports)).toBe(bucket);
  expect(() => readBinding(TOOL, "OTHER", world.ports)).toThrow("does not declare it");
});

describe("lookUpSecrets()", () => {
  const look = (secretOf?: (name: string, caller: object) => unknown, deployed?: string) => {
    const world = new TestWorld();
    if (deployed !== undefined) world.secrets.set("MAIL_TOKEN", deployed);
    const ports = { ...world.ports, ...(secretOf !== undefined && { secretOf }) } as TestWorld["ports"];
    return lookUpSecrets(TOOL, { ...CALLER, extra: "not told" } as typeof CALLER, ports);
  };

  test("is the caller's own value, looked up with whose it is, or else the deployment's", async () => {
    const asked: unknown[] = [];
    const own = await look((...said) => asked.push(said) > 0 && "own", "deployed");
    expect(own).toEqual(new Map([["MAIL_TOKEN", "own"]]));
    expect(asked).toEqual([["MAIL_TOKEN", CALLER]]);
    for (const nothing of [undefined, null, ""])
      expect(await look(() => nothing, "deployed")).toEqual(new Map([["MAIL_TOKEN", "deployed"]]));
    expect(await look(undefined, "deployed")).toEqual(new Map([["MAIL_TOKEN", "deployed"]]));
  });

  test("rejects where there is neither", async () => {
    const failed = await look(() => null).catch((error: unknown) => error);
    expect(failed).toMatchObject(missing("MAIL_TOKEN"));
    expect(failed).not.toBeInstanceOf(LookupFailure);
  });

  test("leaves the secret of a tool that may use an account instead for when it is asked for", async () => {
    const { ports } = new TestWorld();
    const tool = contractOf("mail", {
      secrets: ["MAIL_TOKEN"],
      connection: "google",
      connectionOptional: true,
    });
    const found = await lookUpSecrets(tool, CALLER, { ...ports, secretOf: () => null });
    expect(thrownBy(() => readSecret(tool, "MAIL_TOKEN", (name) => found.get(name)))).toMatchObject(
      missing("MAIL_TOKEN"),
    );
  });

  test("tells the caller of a lookup that failed the name alone, and the operator why", async () => {
    const cause = new Error("vault says geheim");
    const failed = await look(() => Promise.reject(cause), "deployed").catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(LookupFailure);
    expect(failed).toMatchObject({ secret: "MAIL_TOKEN", cause, ...missing("MAIL_TOKEN") });
    expect(failed).toMatchObject({ failure: { retryable: true } });
    expect(JSON.stringify((failed as LookupFailure).failure)).not.toContain("geheim");
    for (const value of [7, {}, true])
      await expect(look(() => value, "deployed")).rejects.toMatchObject({ secret: "MAIL_TOKEN" });
  });
});

describe("A tool's words", () => {
  test("has its secrets taken out, for as long as they are what they are", () => {
    const tool = contractOf("one", { secrets: ["MAIL_TOKEN"] });
    const first = redactorOf(tool, valueOf("geheimnis-1"));
    expect(first('"a geheimnis-1 b"')).not.toContain("geheimnis-1");
    expect(redactorOf(tool, valueOf("geheimnis-1"))).toBe(first);
    const second = redactorOf(tool, valueOf("geheimnis-2"));
    expect(second('"a geheimnis-2 b"')).not.toContain("geheimnis-2");
    expect(second('"a geheimnis-1 b"')).toContain("geheimnis-1");
    expect(redactorOf(tool, valueOf(undefined))('"a geheimnis-2 b"')).toContain("geheimnis-2");
  });

  test("has all of its secrets taken out, also when one of several is another now", () => {
    const tool = contractOf("several", { secrets: ["MAIL_TOKEN", "MAIL_USER"] });
    const valuesOf =
      (token: string) =>
      (name: string): string =>
        name === "MAIL_TOKEN" ? token : "benutzerin";
    const text = '"benutzerin geheimnis-1 geheimnis-2"';
    expect(redactorOf(tool, valuesOf("geheimnis-1"))(text)).toBe('"[redacted] [redacted] geheimnis-2"');
    expect(redactorOf(tool, valuesOf("geheimnis-2"))(text)).toBe('"[redacted] geheimnis-1 [redacted]"');
  });

  test("has one more text taken out that it made, before its own: the one may have the other in it", () => {
    const tool = contractOf("two", { secrets: ["MAIL_TOKEN"] });
    const own = redactorOf(tool, valueOf("geheimnis"));
    const redact = redactAlso(tool, "token-of-geheimnis-made", own);
    const said = redact('"x token-of-geheimnis-made y geheimnis z"');
    expect(said).not.toMatch(/geheimnis|token-of|made/);
    const next = redactAlso(tool, "another-token-made", own);
    expect(next('"another-token-made"')).not.toContain("another-token");
    expect(next('"token-of-other-made"')).toContain("token-of-other-made");
  });

  test("of its own failure or its progress has them taken out as well, quotes and all", () => {
    const tool = contractOf("three", { secrets: ["MAIL_TOKEN"] });
    const redact = redactorOf(tool, valueOf('ge"heimnis'));
    const failure = makeFailure("UPSTREAM_ERROR", { hint: 'It said ge"heimnis.' });
    const shown = redactFailure(failure, redact);
    expect(shown).toMatchObject({ code: "UPSTREAM_ERROR" });
    expect(shown.hint).toMatch(/^It said .+\.$/);
    expect(shown.hint).not.toContain("heimnis");
    const { hint: _, ...silent } = failure;
    expect(redactFailure(silent, redact)).toBe(silent);
    const report = { progress: 1, message: 'Now ge"heimnis' };
    expect(redactMessage(report, redact).message).not.toContain("heimnis");
    expect(redactMessage(report, redact).progress).toBe(1);
    const quiet = { progress: 2 };
    expect(redactMessage(quiet, redact)).toBe(quiet);
  });
});
