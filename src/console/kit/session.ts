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
