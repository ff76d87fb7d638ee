import type { Tool } from "../catalog/define-tool.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** Refusals that say "not now" although they blame the request; every other one will be the same next time. */
const TRANSIENT = new Set([408, 425]);
/** Failures of the service that will be the same next time; every other one, a proxy's 52x too, may pass. */
const LASTING = new Set([501, 505, 506, 508, 510, 511]);

/**
 * Make the failure that a status other than 2xx, or 206, means. Nothing of the response but its status and `Retry-After` is used.
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
  const retryable = upstreamStatus >= 500 ? !LASTING.has(upstreamStatus) : TRANSIENT.has(upstreamStatus);
  return new ToolFailure("UPSTREAM_ERROR", {
    upstreamStatus,
    retryable,
    ...retryAfter,
    hint: hintOf(upstreamStatus, retryable),
  });
}

function hintOf(status: number, retryable: boolean): string {
  if (status < 300) return "The service answered with a part only; ask for less, or use another tool.";
  if (retryable) return "The service is in trouble for the moment; trying again later may help.";
  return status >= 500
    ? `The service answered with status ${status}: it cannot do this; use another tool.`
    : `The service refused the request with status ${status}; change the arguments or use another tool.`;
}

function refusedCredentials({ secrets }: Tool): string {
  if (secrets.length === 0)
    return "The service refused us access, and this tool has no credentials to show; use another one.";
  return `The service refused our credentials; the deployment's operator has to check ${secrets.join(", ")}.`;
}
