import { show, summarise } from "./print.ts";
import type { VolleyClient } from "./volley-client.ts";

const MIXED = [
  { id: "weather", tool: "get_weather", args: { city: "Phoenix" } },
  { id: "typo", tool: "nhtsa-recall-search", args: { year: "2020", make: "Toyota", model: "Camry" } },
  {
    id: "plan",
    tool: "web-search",
    args: { query: "how long does an oil change take" },
    depends_on: ["weather"],
  },
  { id: "lost", tool: "google-maps-search", args: { query: "what the typo found" }, depends_on: ["typo"] },
  {
    id: "mail",
    tool: "send_email",
    args: { to: ["you@example.com"], subject: "Your Camry", body: "The shops and recalls you asked for." },
  },
];

/** A batch in which not everything goes well; the id of the job that it starts. */
export async function showMixedBatch(client: VolleyClient): Promise<string> {
  const mixed = await show(client, MIXED);
  summarise(mixed);
  for (const { id, error } of mixed.results)
    if (error?.hint !== undefined) console.log(`  ${id}: ${error.code}. ${error.hint}`);

  const jobId = mixed.results.find(({ status }) => status === "initiated")?.job_id;
  if (jobId === undefined) throw new Error("No job was initiated");
  return jobId;
}
