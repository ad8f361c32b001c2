const quote = 0x22;
const backslash = 0x5c;

/** Characters that part values from each other, by their code: white space and the marks of JSON. */
const parts: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  ' \t\n\r,:[]{}"'.includes(String.fromCharCode(code)),
);

/** Whether a character ends a number or a word. */
export function isPart(code: number): boolean {
  return parts[code] === true;
}

/** The index after the token of JSON that begins at `at`. Tokens are marks, strings, and runs of other characters. */
export function endOfToken(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === quote) return endOfString(text, at);
  let end = at + 1;
  if (parts[code]) return end;
  while (end < text.length && !parts[text.charCodeAt(end)]) end += 1;
  return end;
}

/** A quotation mark ends a string, unless an odd number of backslashes is before it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
  }
  return text.length;
}
