/** How much of a name tells whom a message is about. */
const told = 40;

/** What people wrote, as a message says it that is about something else: its first characters, and a sign that there are more. */
export function shortened(text: string): string {
  if (text.length <= told) return text;
  // A sign stays with its letter, as vowels do in Devanagari.
  const characters = [...new Intl.Segmenter("en").segment(text)].map(({ segment }) => segment);
  return characters.length <= told ? text : `${characters.slice(0, told).join("").trimEnd()}…`;
}
