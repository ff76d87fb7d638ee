import { findCities } from "./cities.ts";
import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 240;

const STREETS = ["Camelback Rd", "Main St", "Indian School Rd", "Oak Ave", "7th St", "Mill Ave", "Park Blvd"];
const PREFIXES = [
  "Desert Ridge",
  "Valley",
  "Sunrise",
  "Copper State",
  "Midtown",
  "Lakeside",
  "Cactus",
  "Northside",
  "Arcadia",
  "Union",
];
const SUFFIXES = ["& Service", "Center", "Express", "Co.", "on Main", "Plus"];
const FIELDS = new Set([
  "id",
  "displayName",
  "formattedAddress",
  "rating",
  "userRatingCount",
  "nationalPhoneNumber",
  "internationalPhoneNumber",
  "websiteUri",
  "currentOpeningHours",
  "location",
  "types",
]);

/** Answer as Text Search (New): https://developers.google.com/maps/documentation/places/web-service/text-search */
export async function answerGooglePlaces(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  const url = new URL(request.url);
  if (url.pathname !== "/v1/places:searchText" || request.method !== "POST")
    return refuse(404, "NOT_FOUND", "Method not found.");

  const key = request.headers.get("X-Goog-Api-Key") ?? url.searchParams.get("key") ?? "";
  if (key === "")
    return refuse(
      403,
      "PERMISSION_DENIED",
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    );
  if (key.startsWith("invalid"))
    return refuse(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.");

  const mask = request.headers.get("X-Goog-FieldMask") ?? url.searchParams.get("fields") ?? "";
  if (mask === "")
    return refuse(
      400,
      "INVALID_ARGUMENT",
      "FieldMask is a required parameter. See https://cloud.google.com/apis/docs/system-parameters#definitions on how to provide it.",
    );
  const paths = mask.split(",").map((path) => path.split("."));
  if (!paths.every(isKnownPath))
    return refuse(400, "INVALID_ARGUMENT", "Request contains an invalid argument.");

  const body = await readObject(request);
  const { textQuery, pageSize = 20 } = body ?? {};
  if (typeof textQuery !== "string" || textQuery.trim() === "")
    return refuse(400, "INVALID_ARGUMENT", "Empty text_query. The text_query must be set.");
  if (typeof pageSize !== "number" || pageSize < 0)
    return refuse(400, "INVALID_ARGUMENT", "page_size must be between 0 and 20.");

  const places = findPlaces(textQuery, pageSize === 0 ? 20 : Math.min(pageSize, 20));
  return Response.json(places.length === 0 ? {} : { places: places.map((place) => select(place, paths)) });
}

/** Make places up from the query. Names and numbers are invented; a query for `nowhere` finds nothing. */
function findPlaces(textQuery: string, count: number): readonly Record<string, unknown>[] {
  if (/\bnowhere\b/i.test(textQuery)) return [];
  const [what = "", where = "Phoenix, AZ"] = textQuery.split(/\s+(?:near|in|around|at)\s+/i);
  const city = findCities(where.split(",")[0] ?? "")[0];
  const seeded = new Seeded(textQuery.toLowerCase());
  return Array.from({ length: count }, () => {
    const name = `${seeded.pick(PREFIXES)} ${titleCase(what)} ${seeded.pick(SUFFIXES)}`;
    const local = `555-01${seeded.text(2, "0123456789")}`;
    return {
      id: `ChIJ${seeded.text(23, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")}`,
      displayName: { text: name, languageCode: "en" },
      formattedAddress: `${seeded.int(100, 9900)} ${seeded.pick(["N", "E", "W", "S"])} ${seeded.pick(STREETS)}, ${where}${/\d/.test(where) ? "" : ` 850${seeded.text(2, "0123456789")}`}, ${city === undefined || city.countryCode === "US" ? "USA" : city.country}`,
      rating: seeded.tenths(3, 5),
      userRatingCount: seeded.int(8, 1900),
      nationalPhoneNumber: `(602) ${local}`,
      internationalPhoneNumber: `+1 602-${local}`,
      websiteUri: `https://${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.example/`,
      currentOpeningHours: { openNow: seeded.next() < 0.7, weekdayDescriptions: [] },
      location: {
        latitude: (city?.latitude ?? 33.44838) + (seeded.next() - 0.5) / 5,
        longitude: (city?.longitude ?? -112.07404) + (seeded.next() - 0.5) / 5,
      },
      types: ["point_of_interest", "establishment"],
    };
  });
}

function isKnownPath(path: readonly string[]): boolean {
  const [root = "", field] = path;
  if (root === "*") return path.length === 1;
  return (
    root === "nextPageToken" ||
    (root === "places" && (field === undefined || field === "*" || FIELDS.has(field)))
  );
}

/** Keep what the mask names and nothing else, so a tool that forgets a field misses it in its tests. */
function select(
  place: Readonly<Record<string, unknown>>,
  paths: readonly (readonly string[])[],
): Record<string, unknown> {
  const selected: Record<string, unknown> = {};
  for (const [root, field, child] of paths) {
    if (root === "*" || (root === "places" && (field === undefined || field === "*"))) return { ...place };
    if (root !== "places" || field === undefined) continue;
    const value = place[field];
    selected[field] =
      child === undefined
        ? value
        : {
            ...(selected[field] as object | undefined),
            [child]: (value as Record<string, unknown> | undefined)?.[child],
          };
  }
  return selected;
}

async function readObject(request: Request): Promise<Record<string, unknown> | null> {
  const body: unknown = await request.json().catch(() => null);
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : null;
}

function titleCase(text: string): string {
  return text.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function refuse(code: number, status: string, message: string): Response {
  return Response.json({ error: { code, message, status } }, { status: code });
}
