import { ConfigurationError } from "../../../feature/refuse.ts";
import { type Env, readOrigins } from "../../../feature/define.ts";

const VARIABLE = "VOLLEY_ORIGINS";

/**
 * Read the origins whose pages may call, each written as browsers send it: scheme, host and port, nothing after. Throws naming what
 * is no origin; `*` is none, because a key in a page of any origin is a key that everybody has.
 */
export function readPageOrigins(env: Env): ReadonlySet<string> {
  const { origins } = readOrigins(env);
  for (const text of origins) {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== text)
      throw new ConfigurationError(
        VARIABLE,
        `'${text}' must be an origin as browsers send it, such as https://app.example.com, without a path or a slash at its end`,
      );
  }
  return origins;
}
