/** Why an expression has no value: a sentence that tells a model what to write instead. */
export class NotComputable extends Error {
  override readonly name = "NotComputable";
}
