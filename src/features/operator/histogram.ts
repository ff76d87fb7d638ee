/**
 * How long things took, in buckets that each reach 19 % further than the one before: numbers in pairs, a bucket and how many are in it, by
 * bucket. Such lists are small, are merged by adding, and give a quantile to within 9 %, because a bucket's middle stands for all of it.
 */
export type Histogram = number[];

/** Buckets of a doubling. */
const PER_DOUBLING = 4;
/** The last one begins at some 70 minutes and has all that took longer. */
const LAST = 90;

/** Add one time, in milliseconds. */
export function addTime(histogram: Histogram, ms: number): void {
  addTo(histogram, bucketOf(ms), 1);
}

/** Add all of another. */
export function addTimes(histogram: Histogram, other: readonly number[]): void {
  for (let at = 0; at < other.length; at += 2) addTo(histogram, other[at]!, other[at + 1]!);
}

/** Find the time that a share of all did not take longer than, in milliseconds; null where there are none. */
export function quantileOf(histogram: readonly number[], share: number): number | null {
  let total = 0;
  for (let at = 1; at < histogram.length; at += 2) total += histogram[at]!;
  if (total === 0) return null;
  let left = Math.max(1, Math.ceil(total * share));
  for (let at = 0; at < histogram.length; at += 2) {
    left -= histogram[at + 1]!;
    if (left <= 0) return middleOf(histogram[at]!);
  }
  return null;
}

function bucketOf(ms: number): number {
  if (!(ms >= 1)) return 0;
  return Math.min(LAST, 1 + Math.floor(PER_DOUBLING * Math.log2(ms)));
}

/** The time that stands for a bucket: its geometric middle, so that it is as far from its beginning as from its end. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.round(2 ** ((bucket - 0.5) / PER_DOUBLING));
}

function addTo(histogram: Histogram, bucket: number, count: number): void {
  let at = 0;
  while (at < histogram.length && histogram[at]! < bucket) at += 2;
  if (histogram[at] === bucket) histogram[at + 1]! += count;
  else histogram.splice(at, 0, bucket, count);
}
