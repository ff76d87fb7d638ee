import { beforeEach, describe, expect, test, vi } from "vitest";
import { keepKey, keepKeysAs, readKey, tabStorage } from "../../src/console/kit/session.ts";

beforeEach(() => () => vi.unstubAllGlobals());

describe("The storage of a tab", () => {
  test("is the page's memory in a frame that the browser gives none", () => {
    const refusing = { get: () => fail() };
    const fail = (): never => {
      throw new DOMException("The operation is insecure.", "SecurityError");
    };
    Object.defineProperty(globalThis, "sessionStorage", { configurable: true, ...refusing });
    try {
      tabStorage().setItem("a", "1");
      expect(tabStorage().getItem("a")).toBe("1");
      tabStorage().removeItem("a");
      expect(tabStorage().getItem("a")).toBeNull();
    } finally {
      Reflect.deleteProperty(globalThis, "sessionStorage");
    }
  });

  test("has the link of a customer's page and the key of the console under names of their own", () => {
    const kept = new Map<string, string>();
    vi.stubGlobal("sessionStorage", {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => void kept.set(name, text),
    });
    keepKey("of the console");
    keepKeysAs("volley-portal-link");
    expect(readKey()).toBeNull();
    keepKey("of a link");
    expect([...kept.values()]).toEqual(["of the console", "of a link"]);
    keepKeysAs("volley-key");
    expect(readKey()).toBe("of the console");
  });
});
