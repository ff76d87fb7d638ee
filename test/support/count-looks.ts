/** Count how often `work` looks at a character of any text by its index: the same on every machine, unlike its time. */
export function countLooks(work: () => void): number {
  // oxlint-disable-next-line typescript/unbound-method
  const { charCodeAt } = String.prototype;
  let looks = 0;
  // oxlint-disable-next-line no-extend-native
  String.prototype.charCodeAt = function (index) {
    looks += 1;
    return charCodeAt.call(this, index);
  };
  try {
    work();
  } finally {
    // oxlint-disable-next-line no-extend-native
    String.prototype.charCodeAt = charCodeAt;
  }
  return looks;
}
