/** Read the blocks of code of a page of the documentation, each with its language. */
export function codeOfPage(page: string): readonly (readonly [language: string, code: string])[] {
  return Array.from(page.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm), ([, language, code]) => [language!, code!]);
}
