import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { cutText } from "../kit/cut-text.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { countArgument, textArgument } from "../kit/arguments.ts";

const MAX_PLACES = 10;

/**
 * The fields that Google is asked for, and therefore bills: rating, phone, website and opening hours make a request an
 * "Enterprise" one. There is no default mask; a request without one is refused.
 */
const FIELD_MASK = [
  "places.id",
  "places.displayName",
  "places.formattedAddress",
  "places.rating",
  "places.userRatingCount",
  "places.nationalPhoneNumber",
  "places.websiteUri",
  "places.currentOpeningHours.openNow",
  "places.location",
].join(",");

const placeSchema = looseSchema(() => ({
  id: z.string(),
  displayName: z.optional(z.looseObject({ text: z.string() })),
  formattedAddress: z.optional(z.string()),
  rating: z.optional(z.number()),
  userRatingCount: z.optional(z.number()),
  nationalPhoneNumber: z.optional(z.string()),
  websiteUri: z.optional(z.string()),
  currentOpeningHours: z.optional(z.looseObject({ openNow: z.optional(z.boolean()) })),
  location: z.optional(z.looseObject({ latitude: z.number(), longitude: z.number() })),
}));

/** Google answers `{}` when nothing was found. */
const answerSchema = looseSchema(() => ({ places: z._default(z.array(placeSchema()), []) }));

/**
 * Find places by text with the Places API (New).
 *
 * Source: https://developers.google.com/maps/documentation/places/web-service/text-search
 */
export const googleMapsSearch = defineTool({
  name: "google-maps-search",
  summary: "Find businesses and places on Google Maps by what they are and where",
  description:
    "Search Google Maps for places. Gives id, name and address of each, and where known rating, phone, website, whether " +
    "it is open now, and location. Size: about 100 tokens per place, never over 200, at most 10 places.",
  category: "maps",
  actions: ["search"],
  isWrite: false,
  input: () =>
    z.strictObject({
      query: textArgument(200, "The place to look for and its area, e.g. 'oil change near Phoenix, AZ'."),
      max_results: countArgument(MAX_PLACES, 5, "How many places at most."),
    }),
  hosts: ["places.googleapis.com"],
  secrets: ["GOOGLE_MAPS_API_KEY"],
  timeoutMs: 8_000,
  typicalTokens: 500,
  maxResponseBytes: 256 * 1024,
  orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 200 } },
  run: async ({ query, max_results }, ctx) => {
    const response = await ctx.fetch("https://places.googleapis.com/v1/places:searchText", {
      method: "POST",
      headers: { "X-Goog-Api-Key": ctx.secret("GOOGLE_MAPS_API_KEY"), "X-Goog-FieldMask": FIELD_MASK },
      body: { textQuery: query, pageSize: max_results, languageCode: "en" },
    });
    const { places } = parseUpstream(answerSchema(), response);
    return { places: places.slice(0, max_results).map(toPlace) };
  },
});

function toPlace(place: z.output<ReturnType<typeof placeSchema>>): object {
  const { rating, userRatingCount, nationalPhoneNumber, websiteUri, currentOpeningHours, location } = place;
  return {
    id: place.id,
    name: cutText(place.displayName?.text ?? "", 80),
    address: cutText(place.formattedAddress ?? "", 120),
    ...(rating !== undefined && { rating }),
    ...(userRatingCount !== undefined && { rating_count: userRatingCount }),
    ...(nationalPhoneNumber !== undefined && { phone: cutText(nationalPhoneNumber, 30) }),
    ...(websiteUri !== undefined && websiteUri.length <= 200 && { website: websiteUri }),
    ...(currentOpeningHours?.openNow !== undefined && { open_now: currentOpeningHours.openNow }),
    // Five decimals are about a metre; Google sends up to fifteen.
    ...(location && { location: { lat: toDegrees(location.latitude), lng: toDegrees(location.longitude) } }),
  };
}

function toDegrees(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}
