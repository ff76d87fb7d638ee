import { drawPlan } from "./draw-plan.ts";
import { show, summarise } from "./print.ts";
import type { VolleyClient } from "./volley-client.ts";
import { paint } from "./waterfall.ts";

/** Search, look up what was found, and mail it: each step needs what the one before it answered. */
const TRIP = [
  {
    id: "shops",
    tool: "google-maps-search",
    args: { query: "oil change near Phoenix, AZ", max_results: 3 },
  },
  { id: "weather", tool: "get_weather", args: { city: "Phoenix" } },
  {
    id: "reviews",
    tool: "web-search",
    for_each: { $ref: "shops#/places" },
    args: { query: { $template: "{{item#/name}} reviews" }, max_results: 1 },
  },
  {
    id: "prices",
    tool: "web-search",
    args: { query: { $template: "oil change price at {{shops#/places/0/name}}" }, max_results: 3 },
  },
  {
    id: "mail",
    tool: "send_email",
    args: {
      to: ["you@example.com"],
      subject: { $template: "Oil change: {{shops#/places/0/name}}" },
      body: {
        $template:
          "{{shops#/places/0/address}}\nOthers say: {{reviews#/0/data/results/0/title}}\n" +
          "Prices: {{prices#/results/0/url}}\nWeather: {{weather#/current/condition}}",
      },
    },
  },
];

/** A batch whose actions refer to each other: first its plan, then the run. */
export async function showOneCall(client: VolleyClient): Promise<void> {
  const { plan, errors } = await client.plan(TRIP);
  if (errors.length > 0) throw new Error(`The plan has errors: ${JSON.stringify(errors)}`);
  console.log("  dry_run says how it would run; nothing has been sent yet:\n");
  for (const line of drawPlan(TRIP, plan)) console.log(`  ${line}`.trimEnd());

  console.log("\n  The same batch, run:\n");
  const envelope = await show(client, TRIP, { nameOf: ({ id }) => id });
  summarise(envelope);
  const { duration_ms: durationMs, sequential_ms: sequentialMs } = envelope.stats;
  console.log(
    `  ${durationMs} ms for ${sequentialMs} ms of calls, and ${paint("bold", "1 model round instead of 3")}:`,
  );
  console.log("  no round to copy names into searches, none to copy results into the mail.");
}
