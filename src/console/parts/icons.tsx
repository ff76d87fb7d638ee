import type { Section } from "../kit/route.ts";

const PATHS: Readonly<Record<Section, string>> = {
  run: "M5 4l12 7-12 7z",
  tools: "M4 6h14M4 11h14M4 16h9",
  jobs: "M11 3v8l5 3M11 20a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",
  confirmations: "M4 11l5 5L19 6",
  flows: "M4 5h5v5H4zM13 12h5v5h-5zM9 7.500h4a2.500 2.500 0 0 1 2.500 2.500v2",
  usage: "M4 18V9M9.500 18V4M15 18v-6M3 18h16",
};

/** A section's picture; its name stands beside it. */
export function Icon({ of }: { readonly of: Section }) {
  return (
    <svg viewBox="0 0 22 22" aria-hidden="true">
      <path d={PATHS[of]} />
    </svg>
  );
}
