/** Dividing what a night cannot do. */

export interface Slice {
  /** From 1. */
  readonly part: number;
  readonly of: number;
}

/** Parse `2/7`; throws when it is not one of so many parts. */
export function parseSlice(text: string): Slice {
  const [, part, of] = /^(\d{1,3})\/(\d{1,3})$/.exec(text)?.map(Number) ?? [];
  if (part === undefined || of === undefined || part < 1 || part > of)
    throw new Error(
      `Cannot take a slice: '--slice' must be one part of several such as 2/7, received ${text}`,
    );
  return { part, of };
}

/**
 * Take the files of one slice: consecutive ones, whose lines are about as many as those of each other slice. Every file is in exactly
 * one slice, because the slices divide one line of numbers and a file goes where its middle is.
 */
export function takeSlice(
  files: readonly { readonly file: string; readonly lines: number }[],
  { part, of }: Slice,
): readonly string[] {
  const all = files.reduce((sum, { lines }) => sum + lines, 0);
  let before = 0;
  return files.flatMap(({ file, lines }) => {
    const middle = before + lines / 2;
    before += lines;
    return Math.min(of, Math.floor((middle / all) * of) + 1) === part ? [file] : [];
  });
}
