import { listHosts, type Tool, toOrigin } from "../catalog/define-tool.ts";
import { visibleText } from "../kit/visible-text.ts";
import { guardUrl } from "./guard-url.ts";

/**
 * Refuse tools that declare a host which every call of theirs would be refused: plain http, an address, a private name.
 * Throws with all of them, by their tools, because at start-up their author is there to mend it.
 */
export function checkHosts(tools: readonly Tool[], trustedOrigins: ReadonlySet<string>): void {
  const problems = tools.flatMap((tool) =>
    listHosts(tool).flatMap((host) => {
      const origin = toOrigin(host);
      const guarded = origin === null ? null : guardUrl(origin, new Set([origin]), trustedOrigins);
      if (guarded?.ok === true) return [];
      const why = guarded?.error.hint ?? "It is no address.";
      return [`tool '${tool.name}' can never reach its host '${visibleText(host, 100)}': ${why}`];
    }),
  );
  if (problems.length === 0) return;
  const advice = "VOLLEY_DEV_ORIGINS opens origins of your own machine to a development server.";
  throw new Error(`Cannot create Volley: ${[...problems, advice].join("\n  ")}`);
}
