import { show, summarise } from "./print.ts";
import type { VolleyClient } from "./volley-client.ts";
import { paint } from "./waterfall.ts";

const LOOKUPS = [
  { tool: "google-maps-search", args: { query: "oil change near Phoenix, AZ" } },
  { tool: "nhtsa-recall-search", args: { year: 2020, make: "Toyota", model: "Camry" } },
  { tool: "web-search", args: { query: "2020 Toyota Camry common issues" } },
];

/** Three actions that need nothing of each other, then the same one by one, as a model without a batch sends them. */
export async function showThreeLookups(client: VolleyClient): Promise<void> {
  const together = await show(client, LOOKUPS);
  summarise(together);

  const startedAt = performance.now();
  for (const action of LOOKUPS) await client.execute([action]);
  const oneByOneMs = performance.now() - startedAt;
  const { duration_ms: togetherMs } = together.stats;
  const faster = paint("bold", `${(oneByOneMs / togetherMs).toFixed(1)}x faster`);
  console.log(`  ${togetherMs} ms together, ${Math.round(oneByOneMs)} ms one by one (measured): ${faster},`);
  console.log("  and one model round instead of three.");
}
