/** One thing that was looked at. An error keeps a deployment from working, a warning only part of it. */
export interface Finding {
  readonly level: "ok" | "warning" | "error";
  /** The kind of thing, such as `bindings`. */
  readonly about: string;
  readonly message: string;
  /** The lines to add, or the command to type, as they stand there. */
  readonly add?: string;
}

export const good = (about: string, message: string): Finding => ({ level: "ok", about, message });
export const warning = (about: string, message: string, add?: string): Finding => ({
  level: "warning",
  about,
  message,
  ...(add !== undefined && { add }),
});
export const wrong = (about: string, message: string, add?: string): Finding => ({
  level: "error",
  about,
  message,
  ...(add !== undefined && { add }),
});
