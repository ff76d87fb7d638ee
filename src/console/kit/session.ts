/** The caller's key, in this tab only: it is gone with the tab, and no other tab or origin reads it. */
const KEY = "volley-key";

export function readKey(): string | null {
  return sessionStorage.getItem(KEY);
}

export function keepKey(key: string): void {
  sessionStorage.setItem(KEY, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY);
}

/** Forget the key and whatever else was kept for its owner, such as a batch that was being written. */
export function forgetOwner(): void {
  sessionStorage.clear();
}
