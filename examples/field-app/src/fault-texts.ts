/** Texts of what is wrong in any form; part of `texts`. */
export const faultTexts = {
  tooLong: (label: string, count: number, most: number) =>
    `${label} has ${count} characters, and may have at most ${most}. Shorten it`,
};
