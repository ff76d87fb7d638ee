import type { Tool } from "../catalog/define-tool.ts";
import { getWeather } from "./get-weather.ts";
import { googleMapsSearch } from "./google-maps-search.ts";
import { nhtsaRecallSearch } from "./nhtsa-recall-search.ts";
import { sendEmail } from "./send-email.ts";
import { webSearch } from "./web-search.ts";

/** The tools that come with Volley. Add your own next to them; each is one file and one entry here. */
export const SHIPPED_TOOLS: readonly Tool[] = [
  googleMapsSearch,
  nhtsaRecallSearch,
  webSearch,
  sendEmail,
  getWeather,
];
