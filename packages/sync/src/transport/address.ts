/** The parsed address, or `null` for what is none. `URL.canParse` would say so, but old tablets have none. */
export function addressOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
