import type { SimulationOptions } from "./options.ts";

/**
 * What differs from seed to seed beside chance: every second run has a server that gives short pages, so that a first sync takes
 * several of them, and every third one has people whom every second tablet sees only as far as they consent; in half of those, most
 * consent to no more than their names. In every seventh of the others people carry edits in files. In every tenth run every second
 * tablet reads one area, or two. In every fifth one people give up some of what is not sent yet.
 */
export function varietyOf(
  seed: number,
): Pick<SimulationOptions, "page" | "consents" | "files" | "areas" | "givesUp"> {
  const consents = seed % 3 === 0 && (seed % 4 < 2 ? true : "narrow");
  const files = !consents && seed % 7 === 0;
  const areas = seed % 10 === 3 ? 1 + ((seed >> 1) % 2) : 0;
  return {
    consents,
    ...(seed % 2 === 0 && { page: 3 + (seed % 8) }),
    ...(files && { files }),
    ...(areas > 0 && { areas }),
    ...(seed % 5 === 2 && { givesUp: true }),
  };
}
