import { describe, expect, test } from "vitest";

import { makeVaultKey } from "../../../../scripts/vault.ts";
import { parseVaultKeys, type SealedFor, Vault } from "../../../../src/cloudflare/vault.ts";

const OURS: SealedFor = ["acme", "ada", "cn_1", "tokens"];
const vaultOf = (text: string): Vault => {
  const keys = parseVaultKeys(text);
  if (!keys.ok) throw new Error(keys.error);
  return new Vault(keys.value, (work) => work);
};
const [FIRST, SECOND] = [makeVaultKey(), makeVaultKey()];

describe("VOLLEY_VAULT_KEY", () => {
  test.each([
    ["", "32 bytes"],
    ["short", "32 bytes"],
    [`${FIRST},${SECOND},${FIRST}`, "two with a comma"],
    [`${FIRST},${FIRST}`, "are the same"],
  ])("that is %s is refused, and shows nothing of itself", (text, said) => {
    const parsed = parseVaultKeys(text);
    expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(said) });
    if (text !== "" && text !== "short") expect(JSON.stringify(parsed)).not.toContain(FIRST.slice(0, 8));
  });
});

describe("The vault", () => {
  test("opens what it sealed, never twice the same, and says which key sealed it", async () => {
    const vault = vaultOf(FIRST);
    const [one, other] = [await vault.seal("geheim", OURS), await vault.seal("geheim", OURS)];
    expect(one).not.toBe(other);
    expect(one).not.toContain("geheim");
    expect(await vault.open(one, OURS)).toBe("geheim");
    expect(vault.isCurrent(one)).toBe(true);
  });

  test("T52 opens it for its own tenant, subject, connection and use alone", async () => {
    const vault = vaultOf(FIRST);
    const sealed = await vault.seal("geheim", OURS);
    const others: SealedFor[] = [
      ["other", "ada", "cn_1", "tokens"],
      ["acme", "grace", "cn_1", "tokens"],
      ["acme", "ada", "cn_2", "tokens"],
      ["acme", "ada", "cn_1", "link"],
    ];
    for (const other of others) expect(await vault.open(sealed, other)).toBeNull();
  });

  test("opens nothing that was changed, or is under another key", async () => {
    const sealed = await vaultOf(FIRST).seal("geheim", OURS);
    expect(await vaultOf(SECOND).open(sealed, OURS)).toBeNull();
    const changed = `${sealed.slice(0, -8)}${sealed.at(-8) === "A" ? "B" : "A"}${sealed.slice(-7)}`;
    expect(await vaultOf(FIRST).open(changed, OURS)).toBeNull();
    expect(await vaultOf(FIRST).open("v1.nothing", OURS)).toBeNull();
  });

  test("with two keys seals under the first and opens both", async () => {
    const old = await vaultOf(FIRST).seal("geheim", OURS);
    const both = vaultOf(`${SECOND},${FIRST}`);
    expect(await both.open(old, OURS)).toBe("geheim");
    expect(both.isCurrent(old)).toBe(false);
    expect(await vaultOf(SECOND).open(await both.seal("geheim", OURS), OURS)).toBe("geheim");
  });
});
