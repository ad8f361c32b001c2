import { Command } from "commander";
import { absentCommand, addBackupCommand } from "./backup-command.ts";
import { addClientCommand } from "./client-command.ts";
import { addKeysCommand } from "./keys-command.ts";
import { addRecordsCommands } from "./records-command.ts";
import { addServeCommand } from "./serve-command.ts";
import type { Terminal } from "./terminal.ts";
import { addUpkeepCommands } from "./upkeep-commands.ts";

/** The command `fieldroll`: docs/command-line.md. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command("fieldroll")
    .description("A social-protection registry over HTTP, made for work where there is no network.")
    .version(terminal.version);
  addServeCommand(program, terminal);
  addRecordsCommands(program, terminal);
  addClientCommand(program, terminal);
  addKeysCommand(program, terminal);
  addUpkeepCommands(program, terminal);
  addBackupCommand(program, terminal);
  adviseOnMistakes(program);
  refuseTwice(program);
  return program;
}

/** After whatever commander refuses: the commands there are, or how this one is used. */
function adviseOnMistakes(command: Command, path = command.name()): void {
  const commands = command.commands.filter((each) => each.name() !== absentCommand);
  const there = commands.map((each) => each.name()).join(", ");
  command.showHelpAfterError(
    there === ""
      ? `Write it as: ${path} ${command.usage()}\n(add --help to see the options)`
      : `Commands of ${path} are ${there}.\n(add --help to see what each does)`,
  );
  for (const each of command.commands) adviseOnMistakes(each, `${path} ${each.name()}`);
}

/**
 * Of an option with one value that is given twice the last would count, and nobody would be told. The values are not repeated: an
 * address may have a password in it.
 */
function refuseTwice(command: Command): void {
  for (const option of command.options) {
    if (option.variadic || !option.required) continue;
    const parse = option.parseArg;
    let isGiven = false;
    option.argParser((value: string, previous: unknown) => {
      if (isGiven)
        command.error(`error: option '${option.flags}' is given twice. A list is one value, with commas.`);
      isGiven = true;
      return parse ? parse(value, previous) : value;
    });
  }
  for (const each of command.commands) refuseTwice(each);
}
