import { nearest } from "../../core/kit/nearest.ts";

/** An area that the EIA has weekly prices for, as its code and as people call it. */
export interface PriceArea {
  readonly code: string;
  readonly name: string;
}

const AREAS: Readonly<Record<string, string>> = {
  NUS: "U.S. average",
  R1X: "New England (PADD 1A)",
  R1Y: "Central Atlantic (PADD 1B)",
  R1Z: "Lower Atlantic (PADD 1C)",
  R20: "Midwest (PADD 2)",
  R30: "Gulf Coast (PADD 3)",
  R40: "Rocky Mountain (PADD 4)",
  R50: "West Coast (PADD 5)",
  R5XCA: "West Coast (PADD 5) except California",
};

/**
 * Every state, its postal code, and its district: https://www.eia.gov/petroleum/supply/monthly/pdf/append.pdf (PADD map).
 * The districts 1A to 1C stand for the East Coast; the West Coast without California for its other states.
 */
const STATES: readonly (readonly [area: string, states: string])[] = [
  ["R1X", "CT Connecticut,ME Maine,MA Massachusetts,NH New Hampshire,RI Rhode Island,VT Vermont"],
  ["R1Y", "DE Delaware,DC District of Columbia,MD Maryland,NJ New Jersey,NY New York,PA Pennsylvania"],
  ["R1Z", "FL Florida,GA Georgia,NC North Carolina,SC South Carolina,VA Virginia,WV West Virginia"],
  [
    "R20",
    "IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,MI Michigan,MN Minnesota,MO Missouri,NE Nebraska," +
      "ND North Dakota,OH Ohio,OK Oklahoma,SD South Dakota,TN Tennessee,WI Wisconsin",
  ],
  ["R30", "AL Alabama,AR Arkansas,LA Louisiana,MS Mississippi,NM New Mexico,TX Texas"],
  ["R40", "CO Colorado,ID Idaho,MT Montana,UT Utah,WY Wyoming"],
  ["R50", "CA California"],
  ["R5XCA", "AK Alaska,AZ Arizona,HI Hawaii,NV Nevada,OR Oregon,WA Washington"],
];

/** States with gasoline prices of their own; of diesel only California has any. */
const OWN_GASOLINE = new Set(["CA", "CO", "FL", "MA", "MN", "NY", "OH", "TX", "WA"]);
const OWN_DIESEL = new Set(["CA"]);

/** A state, or the whole country, and where its prices come from. */
export interface PricePlace {
  readonly name: string;
  readonly gasoline: PriceArea;
  readonly diesel: PriceArea;
}

const US: PriceArea = { code: "NUS", name: AREAS["NUS"]! };
/** The whole country. */
export const NATION: PricePlace = { name: "United States", gasoline: US, diesel: US };

interface Places {
  /** By every way that a name is folded. */
  readonly byName: ReadonlyMap<string, PricePlace>;
  readonly names: readonly string[];
}

let read: Places | undefined;

/** Made when it is first asked for. */
function readPlaces(): Places {
  if (read !== undefined) return read;
  const states = STATES.flatMap(([area, listed]) =>
    listed.split(",").map((entry) => ({ area, code: entry.slice(0, 2), name: entry.slice(3) })),
  );
  const byName = new Map<string, PricePlace>();
  for (const { area, code, name } of states) {
    const region: PriceArea = { code: area, name: AREAS[area]! };
    const own: PriceArea = { code: `S${code}`, name };
    const gasoline = OWN_GASOLINE.has(code) ? own : region;
    const place = { name, gasoline, diesel: OWN_DIESEL.has(code) ? own : region };
    byName.set(fold(code), place).set(fold(name), place);
  }
  for (const name of ["US", "USA", "United States", "United States of America"])
    byName.set(fold(name), NATION);
  byName.set(fold("Washington DC"), byName.get("dc")!).set(fold("Washington State"), byName.get("wa")!);
  return (read = { byName, names: states.map(({ name }) => name) });
}

/** Find a state by its name or postal code, however it is written; undefined when there is none of that name. */
export function findPlace(state: string): PricePlace | undefined {
  return readPlaces().byName.get(fold(state));
}

/** The names that a misspelt one may have meant, nearest first. */
export function nearestStates(state: string): readonly string[] {
  return nearest(state, readPlaces().names, 3);
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}
