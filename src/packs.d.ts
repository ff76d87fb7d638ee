/** `scripts/build-packs.ts` makes these files: Wrangler gives a Worker such a file as its text. */
declare module "*.txt" {
  const text: string;
  // oxlint-disable-next-line import/no-default-export -- that is how Wrangler does it
  export default text;
}
