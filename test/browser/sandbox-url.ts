import { inject } from "vitest";

/** Where the sandbox of this worker answers, without a slash at the end. */
export function sandboxUrl(): string {
  const url = inject("sandboxUrls")[Number(process.env["VITEST_POOL_ID"]) - 1];
  if (url === undefined) throw new Error("This worker has no sandbox");
  return url;
}
