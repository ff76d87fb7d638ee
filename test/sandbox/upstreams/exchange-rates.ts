import { REAL_PORTS, type StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 60;
const RATES: Readonly<Record<string, number>> = { EUR: 0.92, GBP: 0.79, JPY: 149.5, USD: 1 };

/**
 * Answer for the service of the README's own tool, so that its first call needs no network.
 *
 * Source: https://frankfurter.dev
 */
export async function answerExchangeRates(
  request: Request,
  ports: StandInPorts = REAL_PORTS,
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  await ports.sleep(LATENCY_MS);
  const base = searchParams.get("base") ?? "EUR";
  const symbol = searchParams.get("symbols") ?? "USD";
  const from = RATES[base];
  const to = RATES[symbol];
  if (request.method !== "GET" || pathname !== "/v1/latest" || from === undefined || to === undefined)
    return Response.json({ message: "not found" }, { status: 404 });
  const date = new Date(ports.now()).toISOString().slice(0, 10);
  return Response.json({ amount: 1, base, date, rates: { [symbol]: Math.round((1e5 * to) / from) / 1e5 } });
}
