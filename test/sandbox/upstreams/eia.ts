import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 210;
const WEEK_MS = 7 * 24 * 3_600_000;
/** A Monday. */
const MONDAY_MS = Date.UTC(2024, 0, 1);
/** The weeks that it keeps of each series; the real one has thirty years. */
const WEEKS_KEPT = 104;
const LENGTH_MAX = 5_000;

const AREAS: Readonly<Record<string, string>> = {
  NUS: "U.S.",
  R10: "PADD 1",
  R1X: "PADD 1A",
  R1Y: "PADD 1B",
  R1Z: "PADD 1C",
  R20: "PADD 2",
  R30: "PADD 3",
  R40: "PADD 4",
  R50: "PADD 5",
  R5XCA: "PADD 5 EXCEPT CALIFORNIA",
  SCA: "CALIFORNIA",
  SCO: "COLORADO",
  SFL: "FLORIDA",
  SMA: "MASSACHUSETTS",
  SMN: "MINNESOTA",
  SNY: "NEW YORK",
  SOH: "OHIO",
  STX: "TEXAS",
  SWA: "WASHINGTON",
};
const PRODUCTS: Readonly<Record<string, { readonly name: string; readonly base: number }>> = {
  EPMR: { name: "Regular Gasoline", base: 3.1 },
  EPMM: { name: "Midgrade Gasoline", base: 3.55 },
  EPMP: { name: "Premium Gasoline", base: 3.9 },
  EPD2D: { name: "No 2 Diesel", base: 3.7 },
};
const FACETS: Readonly<Record<string, readonly string[]>> = {
  duoarea: Object.keys(AREAS),
  product: Object.keys(PRODUCTS),
  process: ["PTE"],
  series: [],
};
const PLAIN =
  /^(?:api_key|frequency|data\[\d*\]|start|end|offset|length|sort\[\d+\]\[(?:column|direction)\])$/;
const COLUMNS = ["period", "duoarea", "product", "process", "series", "value"];

/**
 * Answer as the route `petroleum/pri/gnd` of the EIA's API v2: https://www.eia.gov/opendata/documentation.php. Prices are made up
 * for each week up to now, as text, as the real ones come; diesel has no series of a state but California's.
 */
export async function answerEia(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  const { pathname, searchParams: query } = new URL(request.url);
  const key = query.get("api_key") ?? request.headers.get("x-api-key") ?? "";
  if (key === "")
    return refuseKey(
      "API_KEY_MISSING",
      "No api_key was supplied. Please register for one at https://www.eia.gov/opendata/register.php",
    );
  if (key.startsWith("invalid"))
    return refuseKey(
      "API_KEY_INVALID",
      "An invalid api_key was supplied. Please register for one at https://www.eia.gov/opendata/register.php",
    );
  if (!/^\/v2\/petroleum\/pri\/gnd\/data\/?$/.test(pathname)) return refuse(404, "Not found.");
  if (request.method !== "GET") return refuse(405, "Method not allowed.");

  const chosen = new Map<string, Set<string>>();
  for (const [name, value] of query) {
    if (PLAIN.test(name)) continue;
    const facet = /^facets\[(\w+)\]\[\d*\]$/.exec(name)?.[1];
    if (facet === undefined || !Object.hasOwn(FACETS, facet))
      return refuse(400, `Invalid parameter '${name}'.`);
    chosen.set(facet, (chosen.get(facet) ?? new Set()).add(value));
  }
  if (!["weekly", null].includes(query.get("frequency")))
    return refuse(
      400,
      "Invalid frequency provided. The only valid frequencies are 'weekly', 'monthly' and 'annual'.",
    );
  const data = [...query].filter(([name]) => name.startsWith("data[")).map(([, value]) => value);
  if (data.some((column) => column !== "value"))
    return refuse(400, `Invalid data '${data.join()}' provided. The only valid data are 'value'.`);
  const column = query.get("sort[0][column]");
  const direction = query.get("sort[0][direction]") ?? "asc";
  if (column !== null && !COLUMNS.includes(column)) return refuse(400, "Invalid sort column.");
  if (!["asc", "desc"].includes(direction)) return refuse(400, "Invalid sort direction.");
  const [offset, length] = [Number(query.get("offset") ?? 0), Number(query.get("length") ?? LENGTH_MAX)];
  if (!Number.isInteger(offset) || offset < 0) return refuse(400, "Invalid offset.");
  if (!Number.isInteger(length) || length < 0 || length > LENGTH_MAX) return refuse(400, "Invalid length.");

  // A value that no series has is no mistake there: it finds nothing.
  const isChosen = (facet: string, value: string): boolean => chosen.get(facet)?.has(value) ?? true;
  const rows = listWeeks(ports.now())
    .flatMap((period) =>
      listSeries().map(([area, product]) => makeRow(period, area, product, data.length > 0)),
    )
    .filter(
      (row) =>
        isChosen("duoarea", row.duoarea) && isChosen("product", row.product) && isChosen("process", "PTE"),
    );
  if (column === "period" && direction === "desc") rows.reverse();
  return Response.json({
    response: {
      total: String(rows.length),
      dateFormat: "YYYY-MM-DD",
      frequency: "weekly",
      data: rows.slice(offset, offset + length),
      description: "Weekly gasoline and diesel prices",
    },
    request: { command: "/v2/petroleum/pri/gnd/data/", params: {} },
    apiVersion: "2.1.8",
    ExcelAddInVersion: "2.1.0",
  });
}

function listWeeks(now: number): string[] {
  const last = Math.floor((now - MONDAY_MS) / WEEK_MS);
  return Array.from({ length: WEEKS_KEPT }, (_, back) => last - WEEKS_KEPT + 1 + back).map((week) =>
    new Date(MONDAY_MS + week * WEEK_MS).toISOString().slice(0, 10),
  );
}

function listSeries(): (readonly [area: string, product: string])[] {
  return Object.keys(AREAS).flatMap((area) =>
    Object.keys(PRODUCTS)
      .filter((product) => product !== "EPD2D" || !area.startsWith("S") || area === "SCA")
      .map((product) => [area, product] as const),
  );
}

function makeRow(period: string, duoarea: string, product: string, hasValue: boolean) {
  const { name, base } = PRODUCTS[product]!;
  const drift = new Seeded(`${duoarea} ${product} ${period}`).int(-80, 80);
  const place = duoarea === "SCA" ? 1.4 : new Seeded(duoarea).int(-30, 30) / 100;
  return {
    period,
    duoarea,
    "area-name": AREAS[duoarea],
    product,
    "product-name": name,
    process: "PTE",
    "process-name": "Retail Sales",
    series: `${product === "EPD2D" ? "EMD" : "EMM"}_${product}_PTE_${duoarea}_DPG`,
    "series-description": `${AREAS[duoarea]} ${name} Retail Sales (Dollars per Gallon)`,
    ...(hasValue && { value: (base + place + drift / 1_000).toFixed(3), units: "$/GAL" }),
  };
}

function refuseKey(code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status: 403 });
}

function refuse(code: number, error: string): Response {
  return Response.json({ error, code }, { status: code });
}
