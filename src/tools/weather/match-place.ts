/** A place as a geocoder gives it: its own name is not looked at here. */
export interface QualifiedPlace {
  readonly country?: string | null | undefined;
  readonly country_code?: string | null | undefined;
  readonly admin1?: string | null | undefined;
  readonly admin2?: string | null | undefined;
}

/** Codes that people write and geocoders do not store. */
const ALIASES: Readonly<Record<string, string>> = { usa: "us", "u.s.": "us", "u.s.a.": "us", uk: "gb" };

const US_STATES = new Map(
  (
    "al Alabama|ak Alaska|az Arizona|ar Arkansas|ca California|co Colorado|ct Connecticut|de Delaware|fl Florida|" +
    "ga Georgia|hi Hawaii|id Idaho|il Illinois|in Indiana|ia Iowa|ks Kansas|ky Kentucky|la Louisiana|me Maine|" +
    "md Maryland|ma Massachusetts|mi Michigan|mn Minnesota|ms Mississippi|mo Missouri|mt Montana|ne Nebraska|" +
    "nv Nevada|nh New Hampshire|nj New Jersey|nm New Mexico|ny New York|nc North Carolina|nd North Dakota|oh Ohio|" +
    "ok Oklahoma|or Oregon|pa Pennsylvania|ri Rhode ParkedGroup|sc South Carolina|sd South Dakota|tn Tennessee|tx Texas|" +
    "ut Utah|vt Vermont|va Virginia|wa Washington|wv West Virginia|wi Wisconsin|wy Wyoming|dc District of Columbia"
  )
    .split("|")
    .map((entry) => [entry.slice(0, 2), toKey(entry.slice(3))] as const),
);

/**
 * Tell whether a place fits every qualifier of a request such as `Portland, ME` or `Paris, Texas, USA`: each must be its
 * country (name or code), its region, its district, or the postal code of its US state.
 *
 * @example
 * matchPlace({ country_code: "US", admin1: "Maine" }, ["ME", "USA"]); // true
 */
export function matchPlace(place: QualifiedPlace, qualifiers: readonly string[]): boolean {
  const names = [place.country, place.country_code, place.admin1, place.admin2]
    .filter((name) => typeof name === "string")
    .map(toKey);
  const isInUs = place.country_code?.toUpperCase() === "US";
  return qualifiers.map(toKey).every((qualifier) => {
    const state = isInUs ? US_STATES.get(qualifier) : undefined;
    return names.includes(ALIASES[qualifier] ?? qualifier) || (state !== undefined && names.includes(state));
  });
}

/** Fold case and accents: `Québec` and `quebec` are one place. */
function toKey(name: string): string {
  return name.normalize("NFD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}
