import { readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

import { describe, expect, test } from "vitest";

import { SOURCES } from "../support/import-graph.ts";
import { trial } from "../support/trial.ts";

// All that a feature may use of core and of the platform. A name that is missing is added here and in its module, where two features need it.

/** The names of each module. */
const NAMES: Readonly<Record<string, string>> = {
  answer:
    "RequestContext answerPreflight askGate digestKey execute holdingBytes isAllowedOrigin isPreflight objectKey readBytes readRequest readRun respondCounted respondDocument respondHeld respondJson respondList respondRefusal resultSchema toHash",
  caller:
    "Caller Jurisdiction KEY_NAME KeyMemory MissingAccounts SUBJECT SUBJECT_FLAGS SubjectAccounts UsedAccounts fittingFlags mayDo mostRequests quota quotaWindowS subjectField toQuota withAccount",
  define:
    "CallerSource Configured Declared Deployment Env Feature Fetch RunWitness TenantPart Vault checkAtStart createSlot defineFeature logBug partOf readOrigins readTenantGates",
  gives: "Gives JobRuns Notice People SayReach SignInSecrets Told accountsOf givenBy",
  kit: "Clock Markup Page TakenRows gateTimeoutMs hashSource makePlainPage mark maxJobPage mergeRows nesting pageBytes parseInstant respondFlood respondPage sha256 sleep sliceRows takeRows tenantTools tenantToolsBytes toBase64Url walkRows",
  object:
    "CallBounds DurableObject NoticeTable ObjectClass ObjectNamespace defineObject openObject placeAsConfigured query readNamespace refuseErased systemClock",
  outside: "CallClock HeldBytes LogLevel Ports createRedactor guardPublicUrl markHeaders",
  refuse:
    "ConfigurationError Failure Refusal RefusalCode Result attempt attemptNow defineCodes err makeRefusal ok problemSchema statusOf",
  route:
    "Dialect DocumentWriter Route Router RouterTypes createGateClient createRouter describedRoutesOf listRoutesOf visitorRatesOf",
  schema:
    "JsonObject Pending Restore Written anyObject describe escapeUnseen findReferences follow isJsonObject lazySchema listArguments looseSchema makeLost matching nearest object objectsOf optional pageFields parseExact parseJson parseList parseQuery parseRequest readMarker refuseCertain refuseQuery resolveReferences strictSchema toIssues utf8Length visibleText written",
  tenant:
    "Gate ObjectPart OpenPart PartMethods PartWorld createKind createPartCall isCall makeJob redriveAll visibleTools",
  tool: "ALIASES BATCH_BOUNDS BATCH_TOOL Catalog ChangeRefusal ContractField FieldFlaw FileChange FileHead FilesRead JOB_STATUSES JobRecord KeptTool Orchestration Outcome Remote RunListener SeenBatch TokenCounter Tool ToolFailure ToolsByName WORKSPACES Watch WorkspaceFile WorkspaceMethods bytesWaiting checkFields defineTool hideNames inputSchema invocationSchema isFlow isTrouble isVisible nameOf orchestrationSchema parseBatch queryCharacters sayFields sayUnknownTool toolSchema walkJobs workspaceBytes workspaceFileBytes workspaceFiles workspaceFirstBytes",
};

const ROOM = "src/feature";
const FROM = /^(import|export) (?:type )?\{([^}]*)\} from "(\.[^"]+)";/gm;
const OWN = /^export (?:async )?(?:function|class|interface|type) (\w+)/gm;
/** Declared at the start of a line. */
const DECLARED = /^export (?:abstract |async )?(?:class|function\*?|const|let|interface|type|\{) (\w+)/;

interface Named {
  readonly name: string;
  /** The file that declares it. */
  readonly source: string;
}

/** Read what a file takes from others, or passes on. */
function readNames(file: string, text: string, verb: "import" | "export"): readonly Named[] {
  return [...text.matchAll(FROM)].flatMap(([, found, names, from]) =>
    found !== verb
      ? []
      : names!
          .split(",")
          .map((part) => part.trim().replace(/^type /, ""))
          .filter((name) => name !== "")
          .map((name) => ({ name: name.split(" as ")[0]!, source: normalize(join(dirname(file), from!)) })),
  );
}

const modules = await Promise.all(
  (await readdir(ROOM))
    .filter((entry) => entry !== "index.ts")
    .map(async (entry) => {
      const file = `${ROOM}/${entry}`;
      const text = await readFile(file, "utf8");
      const own = [...text.matchAll(OWN)].map(([, name]): Named => ({ name: name!, source: file }));
      return {
        name: entry.replace(".ts", ""),
        file,
        text,
        exported: [...readNames(file, text, "export"), ...own],
      };
    }),
);
const exported = modules.flatMap((module) => module.exported);

describe("What a feature may use", () => {
  test("stands in at most twelve modules, with at most 220 names together", () => {
    const names = modules.map(({ name, exported: all }) => [name, all.map((one) => one.name).toSorted()]);
    expect(Object.fromEntries(names)).toEqual(
      Object.fromEntries(Object.entries(NAMES).map(([module, all]) => [module, all.split(" ")])),
    );
    expect(modules.length).toBeLessThanOrEqual(12);
    expect(exported.length).toBeLessThanOrEqual(220);
  });

  test("has each name once", () => {
    const names = exported.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  trial("says of each name, where it is declared, what it is", async () => {
    const silent: string[] = [];
    for (const { name, source } of exported) {
      const lines = (await readFile(source, "utf8")).split("\n");
      const at = lines.findIndex((line) => DECLARED.exec(line)?.[1] === name);
      const before = lines.slice(0, at).findLast((line) => !line.startsWith("// @__"));
      if (!before?.endsWith("*/")) silent.push(`${name} of ${source}`);
    }
    expect(silent).toEqual([]);
  });

  test("does nothing when it is loaded, because features are defined then", () => {
    for (const { file, text } of modules)
      expect([file, /^(?:export )?(?:const|let) \w+(?:: [^=]+)? = (?!["\d])/m.test(text)]).toEqual([
        file,
        false,
      ]);
  });

  trial("is used by two features at least, or by one and a tool", async () => {
    const users = new Map<string, Set<string>>();
    const isUser = (file: string): boolean => /^src\/(?:features\/|tools\/)/.test(file);
    for (const file of SOURCES.filter(isUser)) {
      const user = file
        .split("/")
        .slice(1, file.startsWith("src/tools") ? 2 : 3)
        .join("/");
      const text = await readFile(file, "utf8");
      const late = [...text.matchAll(/\{ (\w+) \} = await import\(/g)].map(([, name]) => ({ name: name! }));
      const limits = [...text.matchAll(/\bLIMITS\.(\w+)/g)].map(([, name]) => ({ name: name! }));
      for (const { name } of [
        ...readNames(file, text, "import"),
        ...readNames(file, text, "export"),
        ...limits,
        ...late,
      ])
        users.set(name, (users.get(name) ?? new Set()).add(user));
    }
    const lonely = exported.flatMap(({ name }) => ((users.get(name)?.size ?? 0) < 2 ? [name] : []));
    expect(lonely.filter((name) => !OF_ONE.includes(name))).toEqual([]);
  });
});

/** The names that one feature needs only, until they have another form. */
const OF_ONE: readonly string[] = [
  "BATCH_BOUNDS",
  "hideNames",
  "invocationSchema",
  "sayFields",
  "describedRoutesOf",
  "listRoutesOf",
  "checkFields",
  "refuseCertain",
  "anyObject",
  "ContractField",
  "FieldFlaw",
  "ToolsByName",
  "Gives",
  "readTenantGates",
  "createGateClient",
  "redriveAll",
  "createKind",
  "defineCodes",
  "makeJob",
  "SUBJECT_FLAGS",
  "TokenCounter",
  "bytesWaiting",
  "fittingFlags",
  "hashSource",
  "mostRequests",
  "partOf",
  "quota",
  "quotaWindowS",
  "toQuota",
];
