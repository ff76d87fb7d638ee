import { readJsonText, readNumber } from "../../../console/form/form-value.ts";
import { writeExact } from "../../../console/kit/exact-json.ts";
import type { WireEndpoint } from "./wire-endpoints.ts";

/** The texts of the form about what is delivered, and how. */
export interface DeliveryTexts {
  /** JSON. */
  readonly filter: string;
  /** A line for each, the name before a colon. */
  readonly headers: string;
  /** So many, in so many seconds. */
  readonly limit: string;
  readonly windowS: string;
}

/** Read the texts as fields of an endpoint, without those that are empty. A text that cannot be read stays one, which the API then says. */
export function readDeliveryFields({ filter, headers, limit, windowS }: DeliveryTexts): object {
  const { value } = readJsonText(filter);
  const rate = { limit: readNumber(limit), window_s: readNumber(windowS) ?? 1 };
  const hasRate = rate.limit !== undefined || windowS.trim() !== "";
  return {
    ...(value !== undefined && { filter: value }),
    ...(headers.trim() !== "" && { headers: readHeaders(headers) }),
    ...(hasRate && { rate_limit: rate }),
  };
}

/** Write an endpoint's fields as the form has them. */
export function writeDeliveryTexts(
  endpoint: Pick<WireEndpoint, "filter" | "headers" | "rate_limit"> | null,
): DeliveryTexts {
  const { filter, headers, rate_limit: rate } = endpoint ?? {};
  return {
    filter: filter === undefined ? "" : writeExact(filter, 2),
    headers: Object.entries(headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
    limit: rate === undefined ? "" : String(rate.limit),
    windowS: rate === undefined ? "" : String(rate.window_s),
  };
}

function readHeaders(text: string): Readonly<Record<string, string>> | string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.some((line) => !line.includes(":"))) return text;
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}
