import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../src/features", import.meta.url));

/** A feature as its declaration says it. */
export interface DeclaredFeature {
  /** The name of its folder. */
  readonly name: string;
  /** The features that its declaration needs. */
  readonly needs: readonly string[];
  /** The text of its `index.ts`. */
  readonly text: string;
}

/** Read the declaration of every feature, without running any. */
export function readDeclarations(): readonly DeclaredFeature[] {
  return readdirSync(FOLDER)
    .toSorted()
    .map((name) => {
      const text = readFileSync(`${FOLDER}/${name}/index.ts`, "utf8");
      const [, needs = ""] = /needs: \[([^\]]*)\]/.exec(text) ?? [];
      return { name, needs: [...needs.matchAll(/"([^"]+)"/g)].map(([, other]) => other!), text };
    });
}
