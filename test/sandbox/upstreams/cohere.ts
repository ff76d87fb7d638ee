import { parseObject } from "./parse-object.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 80;
const MODELS = [
  "rerank-v4.0-pro",
  "rerank-v4.0-fast",
  "rerank-v3.5",
  "rerank-english-v3.0",
  "rerank-multilingual-v3.0",
];
const FIELDS = ["model", "query", "documents", "top_n", "max_tokens_per_doc", "priority"];
const WORDS = /[\p{L}\p{N}]+/gu;

/**
 * Answer as Cohere's Rerank API v2: https://docs.cohere.com/reference/rerank, refusals as in
 * https://docs.cohere.com/reference/errors. A document's score is how many of the question's words stand in it.
 */
export async function answerCohere(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  if (new URL(request.url).pathname !== "/v2/rerank") return refuse(404, "page not found");
  if (request.method !== "POST") return refuse(405, "method not allowed");
  const [, apiKey = ""] = /^Bearer (.+)$/i.exec(request.headers.get("Authorization") ?? "") ?? [];
  if (apiKey === "") return refuse(401, "no api key supplied");
  if (apiKey.startsWith("invalid")) return refuse(401, "invalid api token");
  const body = parseObject(await request.text());
  if (body === null) return refuse(400, "invalid request: could not parse the body as JSON");
  const problem = findProblem(body);
  if (problem !== null) return problem;

  const { query, documents, top_n = Number.POSITIVE_INFINITY } = body as unknown as Rerank;
  const results = documents
    .map((document, index) => ({ index, relevance_score: scoreOf(document, query) }))
    .sort((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, top_n);
  return Response.json({
    id: "07734bd2-2473-4f07-94e1-0d9f0e6843cf",
    results,
    meta: { api_version: { version: "2", is_experimental: false }, billed_units: { search_units: 1 } },
  });
}

interface Rerank {
  readonly query: string;
  readonly documents: readonly string[];
  readonly top_n?: number;
}

function findProblem(body: Readonly<Record<string, unknown>>): Response | null {
  const unknown = Object.keys(body).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    return refuse(400, `invalid request: unknown field: parameter '${unknown}' is not a valid field`);
  const { model, query, documents, top_n } = body;
  if (typeof model !== "string" || model === "") return refuse(400, "invalid request: model is required");
  if (!MODELS.includes(model))
    return refuse(404, `model '${model}' not found, make sure the correct model ID was used`);
  if (typeof query !== "string" || query.trim() === "")
    return refuse(400, "invalid request: query must not be empty or be only whitespace");
  if (!Array.isArray(documents) || documents.length === 0)
    return refuse(400, "invalid request: list of documents must not be empty");
  if (documents.length > 1_000)
    return refuse(400, "invalid request: number of documents must not exceed 1000");
  if (!documents.every((document) => typeof document === "string"))
    return refuse(400, "invalid request: all documents must be strings");
  if (documents.some((document) => document.trim() === ""))
    return refuse(400, "invalid request: documents must not be empty");
  if (top_n !== undefined && (!Number.isInteger(top_n) || (top_n as number) < 1))
    return refuse(400, "invalid request: top_n must be at least 1");
  return null;
}

function scoreOf(document: string, query: string): number {
  const words = new Set(query.toLowerCase().match(WORDS) ?? []);
  const present = new Set(document.toLowerCase().match(WORDS) ?? []);
  const share = [...words].filter((word) => present.has(word)).length / Math.max(1, words.size);
  return 0.001 + share * 0.998;
}

function refuse(status: number, message: string): Response {
  return Response.json({ id: "b4e2b1a4-1b5e-4b0e-9a55-000000000000", message }, { status });
}
