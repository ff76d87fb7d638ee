/** Styles are imported where they are needed; `scripts/build-console.ts` puts them into one file. */
declare module "*.css";
