import { httpTool } from "volley";
import * as z from "zod";

/** One request to an API: its address is the whole tool. */
export const getExchangeRate = httpTool({
  name: "get_exchange_rate",
  summary: "Get today's exchange rate between two currencies",
  description: "Reference rate of the European Central Bank. Size: about 30 tokens.",
  category: "finance",
  actions: ["read"],
  is_write: false,
  input: z.strictObject({ from: z.string().length(3), to: z.string().length(3) }),
  http: {
    method: "GET",
    url: "https://api.frankfurter.dev/v1/latest",
    query: [
      { argument: "from", name: "base" },
      { argument: "to", name: "symbols" },
    ],
  },
});
