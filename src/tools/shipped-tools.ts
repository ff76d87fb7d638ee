import type { Tool } from "../catalog/define-tool.ts";
import { getWeather } from "./get-weather.ts";
import { googleMapsSearch } from "./google-maps-search.ts";
import { nhtsaRecallSearch } from "./nhtsa-recall-search.ts";
import { sendEmail } from "./send-email.ts";
import { webSearch } from "./web-search.ts";

/** The tools that come with Volley. Your own go beside them in `src/worker.ts`: `[...SHIPPED_TOOLS, myTool]`. */
export const SHIPPED_TOOLS: readonly Tool[] = [
  googleMapsSearch,
  nhtsaRecallSearch,
  webSearch,
  sendEmail,
  getWeather,
];
