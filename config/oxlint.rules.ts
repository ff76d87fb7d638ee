import { existsSync } from "node:fs";
import { posix } from "node:path";

import type { OxlintConfig, OxlintOverride } from "oxlint";

import { readDeclarations } from "./features.ts";

type Rules = NonNullable<OxlintConfig["rules"]>;

/** Packages of their own: what they import is only known once `scripts/install-folder.ts` has installed it. */
const APART = ["site", "test/browser", "lab/fuzz", "lab/mutation", "lab/peers", "test/sdks"].filter(
  (folder) => !existsSync(`${folder}/node_modules`),
);

/** Rules of every file, wherever it stands; the rooms of `src` have their ladder in oxlint.config.ts. */
export const everywhere: OxlintConfig = {
  plugins: ["typescript", "import", "unicorn", "promise"],
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["node_modules", "dist", ".wrangler", ...APART],
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/restrict-template-expressions": "off",
    "typescript/no-base-to-string": "off",
    "typescript/consistent-return": "off",
    "import/no-named-as-default-member": "off",
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "import/no-unassigned-import": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/consistent-function-scoping": "off",
    "unicorn/no-array-reverse": "off",
    "promise/always-return": "off",
    "eslint/no-shadow": "off",
    "eslint/no-underscore-dangle": "off",
    "eslint/no-await-in-loop": "off",
    // A statement of SQL is one: `query(sql)`.
    "eslint/no-unused-expressions": ["error", { allowTaggedTemplates: true }],
    eqeqeq: "error",
    "prefer-const": "error",
    "no-console": "error",
  },
};

/** The imports that a room outside `cloudflare` may not have: only `cloudflare` talks to the platform. */
const noPlatform = {
  group: ["hono", "hono/*", "cloudflare:*", "node:*"],
  message: "Only cloudflare talks to the platform.",
};

const noFeature = { regex: "/features/", message: "Core imports no feature: see docs/features.md." };

/** The imports that a page of a feature may not have. */
const NOT_IN_PAGES = [
  { regex: String.raw`^\.\./\.\./[\w-]`, message: "The pages of a feature know of no other feature." },
  { regex: String.raw`^\.\./[\w-]`, message: "Pages run in a browser: types only.", allowTypeImports: true },
];

/** The rooms that know features by the types of their answers, and of a feature those alone. */
const READERS = ["console/kit", "package/client"];
const wireOnly = {
  regex: "/features/(?![\\w-]+/wire-[\\w-]+\\.ts$)",
  message: "Only the types of a feature's answers, from its files 'wire-….ts'.",
};

const message = "Outside cloudflare this is a port: see egress/ports.ts.";
const PORTS = [
  "fetch",
  "setTimeout",
  "setInterval",
  "clearTimeout",
  "clearInterval",
  "performance",
  "crypto",
];

/** Further rules outside `cloudflare`: time, chance and the network are ports, so that tests have them exactly. */
const coreRules: Rules = {
  "eslint/no-restricted-globals": ["error", ...[...PORTS, "scheduler"].map((name) => ({ name, message }))],
  "eslint/no-restricted-properties": [
    "error",
    { object: "Date", property: "now", message },
    { object: "Math", property: "random", message },
  ],
};

/** The form of an import of `to` in a file of `from`. */
function wayFrom(from: string, to: string): string {
  const way = posix.relative(from, to);
  return `^${(way.startsWith(".") ? way : `./${way}`).replaceAll(".", "\\.").replace("*", "[\\w-]+")}(/[^/]+)?\\.tsx?$`;
}

/**
 * Make the rules of a ladder: what each room, or each of several in a row's name, may look into. A room that the row does not
 * name may not be imported; modules of the platform are for `cloudflare`, `package` and `console`.
 */
export function rulesOfLadder(ladder: Readonly<Record<string, string>>): readonly OxlintOverride[] {
  const rows = Object.entries(ladder).flatMap(([rooms, allowed]) =>
    rooms.split(" ").map((room) => [room, allowed] as const),
  );
  return rows.map(([room, allowed]) => {
    const refused = [...rows.map(([to]) => to), "worker"].filter(
      (to) => !` ${allowed} ${room} `.includes(` ${to} `),
    );
    const said = `Not from ${room}: see ARCHITECTURE.md, "Rooms".`;
    const patterns = refused.map((to) => ({ regex: wayFrom(room, to), message: said }));
    const hasPlatform = /^(?:cloudflare|package|console|features)/.test(room);
    const ofFeatures = room.startsWith("features/")
      ? NOT_IN_PAGES
      : [READERS.includes(room) ? wireOnly : noFeature];
    const features = room === "package" ? [] : ofFeatures;
    const imports = { patterns: [...patterns, ...features, ...(hasPlatform ? [] : [noPlatform])] };
    return {
      files: [`src/${room}/*.{ts,tsx}`],
      rules: { ...(!hasPlatform && coreRules), "eslint/no-restricted-imports": ["error", imports] },
    };
  });
}

/** The features that use `src/feature` alone, and of the features that they need the index. The others follow. */
const THROUGH_THE_DOOR =
  "console cors discovery docs document keys objects operator sign-in tenant-data tokens usage workspace".split(
    " ",
  );

const pastTheDoor = {
  regex: "^(?:\\.\\./)+(?:core|cloudflare|turns)/",
  message: "A feature uses what src/feature gives.",
};

/**
 * Make the rules of features. A feature looks into `src/feature` and into the features that its declaration needs; one that has not come so far
 * yet, into core. Its files besides the declaration, `http` and `objects` are pure, as the rooms outside `cloudflare` are. Its pages, in
 * `console`, have a row of the ladder.
 */
export function rulesOfFeatures(): readonly OxlintOverride[] {
  const all = readDeclarations();
  return all.flatMap(({ name, needs }) => {
    const others = all.map((other) => other.name).filter((other) => other !== name && !needs.includes(other));
    const refuse = (depth: number): { regex: string; message: string } => ({
      regex: `^${"\\.\\./".repeat(depth)}(?:${others.join("|")})/`,
      message: `The feature '${name}' does not need that feature; name it in 'needs', or move what both use into core.`,
    });
    const pastAnIndex = (depth: number): { regex: string; message: string } => ({
      regex: `^${"\\.\\./".repeat(depth)}(?:${needs.join("|")})/(?!index\\.ts$)`,
      message: "Of another feature only its index.ts.",
    });
    const isThrough = THROUGH_THE_DOOR.includes(name);
    const byDoor = (depth: number) =>
      isThrough ? [pastTheDoor, ...(needs.length > 0 ? [pastAnIndex(depth)] : [])] : [];
    const apart = {
      regex: "/(?:tools|package|console|worker)[/.]",
      message: "A feature is no part of these.",
    };
    return [
      ...[1, 2, 3].map((depth) => ({
        files: [`src/features/${name}/${"*/".repeat(depth - 1)}*.ts`],
        excludeFiles: [`src/features/${name}/console/**`],
        rules: {
          "eslint/no-restricted-imports": ["error", { patterns: [refuse(depth), apart, ...byDoor(depth)] }],
        } satisfies Rules,
      })),
      {
        files: [`src/features/${name}/**/*.ts`],
        excludeFiles: [`src/features/${name}/{index.ts,http/**,objects/**,console/**}`],
        rules: coreRules,
      },
    ];
  });
}

/** A Worker of this repository is built as any other author builds theirs. */
const byPackage = {
  regex: "^\\.(?!/(?:package|features)/)",
  message: "A Worker is made of what the package gives: src/package and src/features.",
};

const virtual = "Give the Worker under test a VirtualClock: `standIns: { clock }`.";

/** The list of the console's sections is the one place that names features, and nothing of theirs but the section. */
const sectionsOnly = {
  regex: String.raw`^\.\./(?:(?:core|tools|packs|package|worker)[/.]|features/[^/]+/(?:[^/]+$|(?:http|objects)/))`,
  message: "A feature brings to the console what its console/section.ts exports.",
};

/** Where one of them does not. */
export const exceptions: NonNullable<OxlintConfig["overrides"]> = [
  {
    files: [
      "src/worker.ts",
      "src/dev-worker.ts",
      "templates/*/src/*worker.ts",
      "test/*/worker.ts",
      "lab/*/worker.ts",
      "test/support/build-sandbox-once.ts",
      "test/browser/start-sandbox.ts",
      "test/**/*-worker.*",
      "lab/**/*-worker.*",
      "*.config.ts",
      "site/.vitepress/**",
      "lab/bench/**",
    ],
    rules: { "import/no-default-export": "off" },
  },
  {
    files: [
      "scripts/**",
      "templates/create-volley/**",
      "test/**",
      "lab/**",
      "src/cloudflare/platform/{log-bug,system-ports}.ts",
    ],
    rules: { "no-console": "off" },
  },
  {
    // Objects share their isolate with the tests: a timer of one that fires in another's turn is an error, somewhere.
    files: ["test/cloudflare/**"],
    rules: { "eslint/no-restricted-properties": ["error", { property: "useFakeTimers", message: virtual }] },
  },
  {
    files: ["src/console/sections.ts"],
    rules: { "eslint/no-restricted-imports": ["error", { patterns: [sectionsOnly] }] },
  },
  {
    files: ["src/core/**"],
    rules: { "eslint/max-params": ["error", { max: 3 }] },
  },
  {
    files: ["src/worker.ts"],
    rules: { "eslint/no-restricted-imports": ["error", { patterns: [byPackage] }] },
  },
];
