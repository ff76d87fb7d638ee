import { isJsonObject } from "../../src/core/contract/json.ts";
import { attemptNow } from "../../src/core/kit/result.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import { CommandError } from "../command/command-error.ts";
import { REQUEST_MS, sayNetwork } from "../flows/say-network.ts";
import { type Finding, good, wrong } from "./finding.ts";

/** Ask a deployment how it is. */
export async function checkHealth(address: string): Promise<readonly Finding[]> {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CommandError(
      `'${visibleText(address)}' is no address; it looks like https://volley.example.com.`,
    );
  const place = url.origin + url.pathname.replace(/\/+$/, "");
  try {
    const response = await fetch(`${place}/healthz`, {
      redirect: "manual",
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const text = await response.text();
    const body = attemptNow((): unknown => JSON.parse(text));
    const answer = body.ok && isJsonObject(body.value) ? body.value : null;
    if (response.ok && answer?.["status"] === "ok") return [good("health", `${place} is healthy.`)];
    const detail = answer?.["detail"];
    return [
      wrong(
        "health",
        typeof detail === "string"
          ? `${place} answers ${response.status}: ${visibleText(detail, 500)}`
          : `${place} does not answer as Volley does (${response.status}); is the address right?`,
      ),
    ];
  } catch (error) {
    return [wrong("health", `Cannot reach ${place}: ${sayNetwork(error as Error)}.`)];
  }
}
