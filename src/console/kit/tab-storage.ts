import { attemptNow } from "../../core/kit/result.ts";

type TabStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "clear">;

const held = new Map<string, string>();
const memory: TabStorage = {
  getItem: (name) => held.get(name) ?? null,
  setItem: (name, text) => void held.set(name, text),
  removeItem: (name) => void held.delete(name),
  clear: () => held.clear(),
};

/** The storage of this tab; the page's memory where the browser gives it none, as it may in a frame. */
export function tabStorage(): TabStorage {
  const found = attemptNow(() => sessionStorage);
  return found.ok ? found.value : memory;
}
