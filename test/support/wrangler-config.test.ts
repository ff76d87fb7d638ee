import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

import { objectsOf, readWranglerConfig } from "./wrangler-config.ts";
import { trial } from "../support/trial.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const IGNORED = ["node_modules", "dist", ".wrangler"];
const find = (name: string): string[] =>
  globSync(`**/${name}`, { cwd: root, exclude: (path) => IGNORED.includes(path) });

trial(
  "no Worker has a wrangler.json or wrangler.jsonc, which Wrangler would read instead of wrangler.toml",
  () => {
    expect(find("wrangler.{json,jsonc}")).toEqual([]);
    expect(find("wrangler.toml")).toContain("wrangler.toml");
  },
);

test.each(["lab/bench", "test/sandbox"])(
  "what runs in %s has the date, the flags, the objects and the migrations of what is deployed",
  async (folder) => {
    const [deployed, other] = await Promise.all(
      [`${root}/wrangler.toml`, `${root}/${folder}/wrangler.toml`].map(readWranglerConfig),
    );
    const { compatibility_date, compatibility_flags, migrations } = deployed!;
    expect(other).toMatchObject({ compatibility_date, compatibility_flags });
    // A deployment's additions come after the parts that each has.
    expect(other!.migrations.slice(0, migrations.length)).toEqual(migrations);
    expect(objectsOf(other!)).toMatchObject(objectsOf(deployed!));
  },
);
