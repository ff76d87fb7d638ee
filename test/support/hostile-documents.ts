import { documentOf, jsonBody } from "./openapi-document.ts";

type Json = Readonly<Record<string, unknown>>;

/** A document made to cost its reader as much as it can. */
export interface HostileDocument {
  /** The part that there is too much of. */
  readonly title: string;
  readonly make: () => Json;
}

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const schemas = (entries: [string, unknown][]): Json => ({
  components: { schemas: Object.fromEntries(entries) },
});
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const object = (fields: [string, unknown][]): Json => ({
  type: "object",
  properties: Object.fromEntries(fields),
});

/** As many operations as one import takes, each with a body of this schema. */
function operations(schema: unknown, count = 500): Json {
  const post = (n: number): Json => ({ post: { operationId: `op${n}`, ...jsonBody(schema) } });
  return Object.fromEntries(times(count, (n) => [`/p${n}`, post(n)]));
}

const BIG_TEXT = "word ".repeat(200);

/** Documents that are small for what they ask, or as large as a document may be. */
export const HOSTILE_DOCUMENTS: readonly HostileDocument[] = [
  {
    title: "references that double forty times",
    make: () =>
      documentOf(
        operations(ref("L0")),
        schemas(
          times(40, (n) => [
            `L${n}`,
            object([
              ["a", ref(`L${n + 1}`)],
              ["b", ref(`L${n + 1}`)],
            ]),
          ]),
        ),
      ),
  },
  {
    title: "sixty schemas that all refer to all",
    make: () =>
      documentOf(
        operations(ref("S0")),
        schemas(times(60, (n) => [`S${n}`, object(times(60, (m) => [`f${m}`, ref(`S${m}`)]))])),
      ),
  },
  {
    title: "sixty schemas that are all of all",
    make: () =>
      documentOf(
        operations(ref("S0")),
        schemas(times(60, (n) => [`S${n}`, { allOf: times(60, (m) => ref(`S${m}`)) }])),
      ),
  },
  {
    title: "a chain of twenty thousand references",
    make: () =>
      documentOf(
        operations(ref("C0")),
        schemas(times(20_000, (n) => [`C${n}`, { allOf: [ref(`C${n + 1}`)] }])),
      ),
  },
  {
    title: "a schema of a hundred thousand fields in every operation",
    make: () =>
      documentOf(operations(ref("W")), schemas([["W", object(times(100_000, (n) => [`f${n}`, {}]))]])),
  },
  {
    title: "a schema of a hundred thousand unknown keywords behind thousands of references",
    make: () =>
      documentOf(
        operations(object(times(500, (n) => [`f${n}`, ref("J")]))),
        schemas([["J", Object.fromEntries(times(100_000, (n) => [`x${n}`, 1]))]]),
      ),
  },
  {
    title: "an enum of a hundred thousand values in every operation",
    make: () =>
      documentOf(
        operations(object(times(20, (n) => [`f${n}`, ref("E")]))),
        schemas([["E", { enum: times(100_000, (n) => `value ${n}`) }]]),
      ),
  },
  {
    title: "schemas that nest five thousand levels",
    make: () => {
      let deep: Json = {};
      for (let n = 0; n < 5_000; n += 1) deep = { type: "array", items: deep };
      return documentOf(operations(deep));
    },
  },
  {
    title: "long texts everywhere",
    make: () =>
      documentOf(
        operations(ref("T")),
        schemas([["T", object(times(2_000, (n) => [`f${n}`, { type: "string", description: BIG_TEXT }]))]]),
      ),
  },
  {
    title: "ten thousand paths that are one path item of many parameters",
    make: () => {
      const parameters = times(10_000, (n) => ({ name: `p${n}`, in: "query", schema: { type: "string" } }));
      const item = { parameters, get: {}, post: {}, put: {}, patch: {}, delete: {} };
      const paths = Object.fromEntries(
        times(10_000, (n) => [`/p${n}`, { $ref: "#/components/pathItems/I" }]),
      );
      return documentOf(paths, { components: { pathItems: { I: item } } });
    },
  },
  {
    title: "parameters whose references go round",
    make: () => {
      const parameters = Object.fromEntries(
        times(1_000, (n) => [`P${n}`, { $ref: `#/components/parameters/P${(n + 1) % 1_000}` }]),
      );
      const get = { parameters: times(200, () => ({ $ref: "#/components/parameters/P0" })) };
      return documentOf(Object.fromEntries(times(500, (n) => [`/p${n}`, { get }])), {
        components: { parameters },
      });
    },
  },
  {
    title: "five hundred operations whose names are all the same",
    make: () =>
      documentOf(
        Object.fromEntries(times(500, (n) => [`/p${n}`, { get: { operationId: "same".repeat(30) } }])),
      ),
  },
  {
    title: "patterns that are dear to look at",
    make: () => {
      const pattern = "(a|aa)+(b|bb)*".repeat(30);
      return documentOf(
        operations(object(times(40, (n) => [`f${n}`, { type: "string", pattern: `${pattern}${n}$` }]))),
      );
    },
  },
  {
    title: "texts that are dear to clean",
    make: () => {
      const text = "<a ".repeat(2_000) + "[x](".repeat(2_000) + "\u200b ".repeat(4_000);
      const get = (n: number): Json => ({ get: { operationId: `op${n}`, summary: text, description: text } });
      return documentOf(Object.fromEntries(times(500, (n) => [`/p${n}`, get(n)])));
    },
  },
  {
    title: "addresses that are dear to fill in",
    make: () => {
      const get = {
        servers: times(2_000, (n) => ({ url: `https://{v${n}}.example${"/".repeat(900)}`, variables: {} })),
      };
      return documentOf(Object.fromEntries(times(500, (n) => [`/p${n}${"/{a}".repeat(100)}`, { get }])));
    },
  },
];

/** Operations of forty parameters each, whose patterns all differ. */
export function manyPatterns(operations: number): object {
  const parameters = (at: number): object[] =>
    Array.from({ length: 40 }, (_, n) => ({
      name: `p${n}`,
      in: "query",
      schema: { type: "string", pattern: `^[a-z]{1,9}${at}-[0-9a-z]{1,9}-${n}$` },
    }));
  const paths = Object.fromEntries(
    Array.from({ length: operations }, (_, at) => [
      `/p${at}`,
      { get: { operationId: `op${at}`, summary: "Look", parameters: parameters(at), responses: {} } },
    ]),
  );
  return {
    openapi: "3.1.0",
    info: { title: "Patterns", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    paths,
  };
}
