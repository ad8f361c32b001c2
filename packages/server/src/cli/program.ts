import { Command } from "commander";
import { addBackupCommand } from "./backup-command.ts";
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
    .version(terminal.version)
    .showHelpAfterError("(add --help to see the options)");
  addServeCommand(program, terminal);
  addRecordsCommands(program, terminal);
  addClientCommand(program, terminal);
  addKeysCommand(program, terminal);
  addUpkeepCommands(program, terminal);
  addBackupCommand(program, terminal);
  return program;
}
