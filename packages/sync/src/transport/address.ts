/** Returns the parsed address, or `null` where the text is not one. Old browsers have no `URL.canParse`. */
export function addressOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
