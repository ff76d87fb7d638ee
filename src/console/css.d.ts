/** Styles are imported where they are needed; `scripts/build-console.ts` puts them into one file. */
declare module "*.css";

/** A page of the documentation is imported as its code, each block with its language: `scripts/console/bundle-console.ts` reads it. */
declare module "*.md" {
  const blocks: readonly (readonly [language: string, code: string])[];
  // oxlint-disable-next-line import/no-default-export -- that is how a file of another kind is imported
  export default blocks;
}
