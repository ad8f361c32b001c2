/** Hands a text to the person as a file of theirs: it goes nowhere by itself. */
export function saveFile(name: string, text: string): void {
  const file = new Blob([text], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
