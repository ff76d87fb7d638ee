/** The caller's key, in this tab only: it is gone with the tab, and no other tab or origin reads it. */
const KEY = "volley-key";
/** The last run, which outlives a reload of the page. */
const LAST_RUN = "volley-run";

/** Stands for the owner of the key: another object when the key is forgotten or another takes its place. */
let owner: object = {};

/** Whose key this tab has now. An answer or a run that began under another owner is not shown to this one. */
export function currentOwner(): object {
  return owner;
}

export function readKey(): string | null {
  return sessionStorage.getItem(KEY);
}

export function keepKey(key: string): void {
  owner = {};
  sessionStorage.setItem(KEY, key);
}

/** Forget the key and what ran under it. A draft stays: its author may come back with another key. */
export function forgetKey(): void {
  owner = {};
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(LAST_RUN);
}

/** Forget the key and everything that was kept for its owner, such as a batch that was being written. */
export function forgetOwner(): void {
  owner = {};
  sessionStorage.clear();
}

export function readLastRun(): string | null {
  return sessionStorage.getItem(LAST_RUN);
}

export function keepLastRun(json: string): void {
  sessionStorage.setItem(LAST_RUN, json);
}
