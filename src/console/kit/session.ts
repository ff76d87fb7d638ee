import { attemptNow } from "../../core/kit/result.ts";

/** The caller's key, in this tab only: it is gone with the tab, and no other tab or origin reads it. */
let key = "volley-key";
/** The last run, which outlives a reload of the page. */
const LAST_RUN = "volley-run";

/** Stands for the owner of the key: another object when the key is forgotten or another takes its place. */
let owner: object = {};

/** Whose key this tab has now. An answer or a run that began under another owner is not shown to this one. */
export function currentOwner(): object {
  return owner;
}

/** Keep the keys of a page that takes others than the console under a name of their own: neither page sends the other's. */
export function keepKeysAs(name: string): void {
  key = name;
}

export function readKey(): string | null {
  return tabStorage().getItem(key);
}

export function keepKey(text: string): void {
  owner = {};
  tabStorage().setItem(key, text);
}

/** Forget the key and what ran under it. A draft stays: its author may come back with another key. */
export function forgetKey(): void {
  owner = {};
  tabStorage().removeItem(key);
  tabStorage().removeItem(LAST_RUN);
}

/** Forget the key and everything that was kept for its owner, such as a batch that was being written. */
export function forgetOwner(): void {
  owner = {};
  tabStorage().clear();
}

export function readLastRun(): string | null {
  return tabStorage().getItem(LAST_RUN);
}

export function keepLastRun(json: string): void {
  tabStorage().setItem(LAST_RUN, json);
}

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
