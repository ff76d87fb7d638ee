import { expect, test, vi } from "vitest";

import { readKeys } from "../../../../src/cloudflare/configuration.ts";
import type { Configured } from "../../../../src/cloudflare/configured.ts";
import type { KeyRing } from "../../../../src/cloudflare/http/key-ring.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";

test("T50 A deployment names the tenants none of whose keys may decide, once", () => {
  const warned: unknown[] = [];
  const warn = vi
    .spyOn(console, "warn")
    .mockImplementation((line: string) => void warned.push(JSON.parse(line)));
  const open = (keys: KeyRing) =>
    confirmations().beforeStep!({
      env: {},
      declared: { features: [] },
      features: [],
      keys,
    } as unknown as Configured);
  const entry = (name: string, tenant: string, flags: string[], digit: number) => ({
    name,
    tenant,
    tools: ["*"],
    flags,
    hash: String(digit).repeat(64),
  });
  const [model, person] = [entry("model", "acme", [], 0), entry("person", "acme", ["approve"], 1)];
  const [skips, manages] = [entry("a", "b", ["skip_approval"], 2), entry("b", "b", ["manage_keys"], 3)];
  open(readKeys({ VOLLEY_KEYS: JSON.stringify([model, person, skips, manages]) }));
  expect(warned).toEqual([
    {
      level: "warn",
      message: "No key of these tenants in VOLLEY_KEYS has the flag 'approve', so none of them can decide",
      tenants: ["b"],
    },
  ]);
  warned.length = 0;
  open(readKeys({ VOLLEY_KEYS: JSON.stringify([model, person]) }));
  open(readKeys({}));
  warn.mockRestore();
  expect(warned).toEqual([]);
});
