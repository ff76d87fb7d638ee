import type { Tool } from "../catalog/define-tool.ts";
import { ToolFailure } from "../contract/tool-failure.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** Statuses that say "not now"; every other refusal will be the same next time. */
const TRANSIENT = new Set([408, 425, 500, 502, 503, 504]);

/**
 * Make the failure that a status other than 2xx means. Nothing of the response but its status and `Retry-After` is used.
 *
 * @param now the time that a `Retry-After` date is measured from
 */
export function makeStatusFailure(response: Response, tool: Tool, now: number): ToolFailure {
  const { status: upstreamStatus } = response;
  const patience =
    upstreamStatus === 429 || upstreamStatus === 503
      ? parseRetryAfter(response.headers.get("retry-after"), now)
      : undefined;
  const retryAfter = patience === undefined ? {} : { retryAfterMs: patience };

  switch (upstreamStatus) {
    case 404:
      return new ToolFailure("NOT_FOUND", {
        upstreamStatus,
        hint: "Check the names and ids in the arguments; the same call will not find it either.",
      });
    case 429:
      return new ToolFailure("RATE_LIMITED", {
        upstreamStatus,
        ...retryAfter,
        hint:
          patience === undefined
            ? "The service limits how often it is called; wait before trying again."
            : `The service limits how often it is called; try again in ${patience} ms.`,
      });
    case 401:
    case 403:
      return new ToolFailure("UPSTREAM_ERROR", {
        upstreamStatus,
        retryable: false,
        hint: refusedCredentials(tool),
      });
  }
  const retryable = TRANSIENT.has(upstreamStatus);
  return new ToolFailure("UPSTREAM_ERROR", {
    upstreamStatus,
    retryable,
    ...retryAfter,
    hint: retryable
      ? "The service is in trouble for the moment; trying again later may help."
      : `The service refused the request with status ${upstreamStatus}; change the arguments or use another tool.`,
  });
}

function refusedCredentials({ secrets }: Tool): string {
  if (secrets.length === 0)
    return "The service refused us access, and this tool has no credentials to show; use another one.";
  return `The service refused our credentials; the deployment's operator has to check ${secrets.join(", ")}.`;
}
