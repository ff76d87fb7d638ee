/** Placeholder. */
export function RunsOfDay() {
  return null;
}
