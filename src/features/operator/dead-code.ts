/** Stands for dead jobs that say no code, and for those that were too many to look at. */
export const OTHER_CODE = "OTHER";

/** The code that a dead job ended with. */
export function codeOf(errorJson: string | null): string {
  return (JSON.parse(errorJson ?? "{}") as { readonly code?: string }).code ?? OTHER_CODE;
}
