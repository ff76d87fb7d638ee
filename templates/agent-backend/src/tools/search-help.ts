import { defineTool } from "volley";
import * as z from "zod";

const ARTICLES = [
  {
    title: "Change your address",
    text: "Open Account, then Addresses. Orders that are packed keep the old one.",
  },
  { title: "Send something back", text: "Within 30 days, in its box. The label is in the order's page." },
  { title: "Pay by invoice", text: "Companies may pay within 14 days. Ask for it at the checkout." },
] as const;

/** A read: whatever else the model asks for in this turn runs beside it. */
export const searchHelp = defineTool({
  name: "search_help",
  summary: "Search the help pages",
  description: "Articles that have one of the words, the best first. Size: about 60 tokens.",
  category: "support",
  actions: ["search"],
  isWrite: false,
  execution: "sync",
  input: z.strictObject({ words: z.string().min(1).max(200) }),
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  run({ words }) {
    const wanted = words.toLowerCase().split(/\W+/).filter(Boolean);
    const hits = ARTICLES.map((article) => ({
      article,
      count: wanted.filter((word) => `${article.title} ${article.text}`.toLowerCase().includes(word)).length,
    }));
    const found = hits.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
    return Promise.resolve({ articles: found.map(({ article }) => article) });
  },
});
