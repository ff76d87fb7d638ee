import { existsSync, readFileSync } from "node:fs";

import { type PublishedTool, type SearchCase, type SearchRequest, toName, toTools } from "./search-case.ts";

/** A published benchmark of tool use: the repository it is in, and how its files become a catalogue and requests. */
interface PublicCatalogue {
  readonly name: string;
  /** The directory of its checkout. */
  readonly checkout: string;
  readonly read: (checkout: string) => Omit<SearchCase, "name">;
}

const BFCL = "berkeley-function-call-leaderboard/bfcl_eval/data";

const PUBLIC_CATALOGUES: readonly PublicCatalogue[] = [
  {
    name: "BFCL, written",
    checkout: "gorilla",
    read: (checkout) => readBfcl(`${checkout}/${BFCL}`, ["simple_python", "multiple"]),
  },
  {
    name: "BFCL, from users",
    checkout: "gorilla",
    read: (checkout) => readBfcl(`${checkout}/${BFCL}`, ["live_simple", "live_multiple"]),
  },
  { name: "MetaTool", checkout: "MetaTool", read: readMetaTool },
  { name: "ToolAlpaca", checkout: "ToolAlpaca", read: readToolAlpaca },
  { name: "Seal-Tools", checkout: "Seal-Tools", read: readSealTools },
];

/** The published catalogues whose checkouts are in a folder. */
export function readPublicCatalogues(folder: string): readonly SearchCase[] {
  return PUBLIC_CATALOGUES.filter(({ checkout }) => existsSync(`${folder}/${checkout}`)).map(
    ({ name, checkout, read }) => {
      const { tools, requests } = read(`${folder}/${checkout}`);
      return { name, tools, requests: withoutStrangers(requests, new Set(tools.map((tool) => tool.name))) };
    },
  );
}

/** Some published answers name what is in no list of tools; that cannot be found by anybody. */
function withoutStrangers(
  requests: readonly SearchRequest[],
  names: ReadonlySet<string>,
): readonly SearchRequest[] {
  return requests
    .map((request) => ({ ...request, needs: request.needs.filter((name) => names.has(name)) }))
    .filter(({ needs }) => needs.length > 0);
}

interface BfclQuestion {
  readonly id: string;
  readonly question: readonly (readonly { readonly role: string; readonly content: string }[])[];
  readonly function: readonly PublishedTool[];
}

interface BfclAnswer {
  readonly id: string;
  readonly ground_truth: readonly Readonly<Record<string, unknown>>[];
}

/** Each question comes with the one to four functions it could need; the catalogue is all of them. */
function readBfcl(data: string, parts: readonly string[]): Omit<SearchCase, "name"> {
  const questions = parts.flatMap(
    (part) => readLines(`${data}/BFCL_v4_${part}.json`) as readonly BfclQuestion[],
  );
  const answers = parts.flatMap(
    (part) => readLines(`${data}/possible_answer/BFCL_v4_${part}.json`) as readonly BfclAnswer[],
  );
  const needsOf = new Map(
    answers.map(({ id, ground_truth }) => [
      id,
      ground_truth.flatMap((call) => Object.keys(call).map(toName)),
    ]),
  );
  return {
    tools: toTools(questions.flatMap((question) => question.function)),
    requests: questions.map(({ id, question }) => ({
      text: question[0]!.findLast(({ role }) => role === "user")!.content,
      needs: needsOf.get(id)!,
    })),
  };
}

interface MetaToolPlugin {
  readonly name_for_model: string;
  readonly description_for_model: string;
}

/** ChatGPT plugins with the texts of their own makers; of 20,614 requests every twentieth. */
function readMetaTool(checkout: string): Omit<SearchCase, "name"> {
  const summaries = readJson(`${checkout}/dataset/plugin_des.json`) as Readonly<Record<string, string>>;
  const plugins = readJson(`${checkout}/dataset/plugin_info.json`) as readonly MetaToolPlugin[];
  const descriptions = new Map(
    plugins.map((plugin) => [plugin.name_for_model, plugin.description_for_model]),
  );
  const [, ...rows] = readFileSync(`${checkout}/dataset/data/all_clean_data.csv`, "utf8")
    .trim()
    .split(/\r?\n(?=.*,\w+\r?(?:\n|$))/);
  const requests = rows
    .filter((_, at) => at % 20 === 0)
    .map((row): SearchRequest => {
      const comma = row.lastIndexOf(",");
      return {
        text: row.slice(0, comma).replaceAll(/^"|"$/g, ""),
        needs: [toName(row.slice(comma + 1).trim())],
      };
    });
  return {
    tools: toTools(
      Object.entries(summaries).map(([name, summary]) => ({
        name,
        summary,
        description: descriptions.get(name) ?? summary,
      })),
    ),
    requests,
  };
}

interface AlpacaApi {
  readonly Name: string;
  readonly Function_Description: Readonly<Record<string, string>>;
  readonly Instructions: readonly string[];
  readonly Golden_Answers: readonly (readonly { readonly Action: string }[])[];
}

/** Functions of public web services; the service is the category, as it is when an OpenAPI document is imported. */
function readToolAlpaca(checkout: string): Omit<SearchCase, "name"> {
  const apis = ["simulated", "real"].flatMap(
    (part) => readJson(`${checkout}/data/eval_${part}.json`) as readonly AlpacaApi[],
  );
  return {
    tools: toTools(
      apis.flatMap((api) =>
        Object.entries(api.Function_Description)
          .filter(([name]) => name !== "components")
          .map(([name, description]) => ({
            name,
            description: description.split("\n")[0]!,
            category: api.Name,
          })),
      ),
    ),
    requests: apis.flatMap(({ Instructions, Golden_Answers }) =>
      Instructions.map((text, at) => ({
        text,
        needs: [...new Set(Golden_Answers[at]!.map(({ Action }) => toName(Action)))],
      })),
    ),
  };
}

interface SealTool {
  readonly api_name: string;
  readonly api_description: string;
  readonly field: string;
}

interface SealRequest {
  readonly query: string;
  readonly calling: readonly { readonly api: string }[];
}

/** Generated tools of many fields of work; most requests need three. */
function readSealTools(checkout: string): Omit<SearchCase, "name"> {
  const data = `${checkout}/Seal-Tools_Dataset`;
  return {
    tools: toTools(
      (readLines(`${data}/tool.jsonl`) as readonly SealTool[]).map(
        ({ api_name, api_description, field }) => ({
          name: api_name,
          description: api_description,
          category: field.split("/")[0]!,
        }),
      ),
    ),
    requests: (readLines(`${data}/test_out_domain.jsonl`) as readonly SealRequest[]).map(
      ({ query, calling }) => ({
        text: query,
        needs: [...new Set(calling.map(({ api }) => toName(api)))],
      }),
    ),
  };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

function readLines(path: string): readonly unknown[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}
