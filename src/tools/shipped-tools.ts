import type { Tool } from "../catalog/define-tool.ts";
import { rerank } from "./documents/rerank.ts";
import { getWeather } from "./weather/get-weather.ts";
import { googleMapsSearch } from "./maps/google-maps-search.ts";
import { nhtsaRecallSearch } from "./vehicles/nhtsa-recall-search.ts";
import { sendEmail } from "./email/send-email.ts";
import { webSearch } from "./web/web-search.ts";

/** The tools that come with Volley. Your own go beside them in `src/worker.ts`: `[...SHIPPED_TOOLS, myTool]`. */
export const SHIPPED_TOOLS: readonly Tool[] = [
  googleMapsSearch,
  nhtsaRecallSearch,
  webSearch,
  sendEmail,
  getWeather,
  rerank,
];
