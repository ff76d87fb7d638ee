/** A file's text, as the test runner's bundler imports it. */
declare module "*?raw" {
  const text: string;
  // oxlint-disable-next-line import/no-default-export -- so the bundler exports it
  export default text;
}
