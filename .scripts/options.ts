import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/**
 * Reads the options of a program of this folder. For `--help` it prints how the program is used and ends; for what it does not know, and for
 * text where a number belongs, it says what is wrong, prints the same and ends with 1.
 *
 * @param usage how the program is used
 * @param given.numbers the options whose values are numbers, 0 or more
 */
export function readOptions<Options extends ParseArgsOptionsConfig>(
  usage: string,
  { args, options, numbers = [], names = false }: Given<Options>,
) {
  try {
    const help = { help: { type: "boolean", default: false } } as const;
    const parsed = parseArgs({
      ...(args && { args }),
      options: { ...options, ...help },
      allowPositionals: names,
    });
    const values: Readonly<Record<string, unknown>> = parsed.values;
    if (values.help) {
      process.stdout.write(`${usage}\n`);
      process.exit(0);
    }
    for (const name of numbers) {
      const value = values[name];
      if (value !== undefined && !/^\d+(\.\d+)?$/.test(String(value)))
        throw new TypeError(`--${name} must be a number, such as 5; it is "${value}".`);
    }
    return parsed;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}\n`);
    process.exit(1);
  }
}

interface Given<Options> {
  readonly options: Options;
  /** Default: those that the program was given. */
  readonly args?: string[];
  readonly numbers?: readonly (keyof Options & string)[];
  /** Whether words without dashes are taken too. */
  readonly names?: boolean;
}
