/** What a log may say of what was thrown: messages of unexpected errors may quote records, so it gets the kind and the place only. */
export function describeFailure(error: unknown) {
  if (!(error instanceof Error)) return { error: typeof error };
  const stack = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, code: codeOf(error), at: stack?.slice(0, 8).map((line) => line.trim()) };
}

/** The system's code of an error, such as `EADDRINUSE`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
