import { makePlainPage } from "./plain-page.ts";
import { respondPage } from "./respond-page.ts";

/** Answer a visitor who sends too many requests with a page that says when to come back. */
export function respondFlood(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1_000);
  const page = makePlainPage(
    429,
    "Too many requests",
    `More requests come from where you are than are answered here. Nothing was done; open the page again in ${seconds} s.`,
  );
  const response = respondPage(page);
  response.headers.set("retry-after", String(seconds));
  return response;
}
