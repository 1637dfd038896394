import { parseArgs, type ParseArgsConfig } from "node:util";
import { messageOf, SymposiumError } from "../base/symposium-error.js";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** Options that every subcommand which starts a chain has. */
export const commonOptions = {
  log: { type: "string" },
  "trace-dir": { type: "string" },
} as const satisfies Options;

/** Parses the words after a subcommand; what does not fit is an error that names the word and the way to help. */
export function parseCommandLine<const O extends Options>(
  subcommand: string,
  words: readonly string[],
  options: O,
  allowPositionals = false,
): ReturnType<typeof parseArgs<{ args: string[]; options: O; allowPositionals: boolean; strict: true }>> {
  try {
    return parseArgs({ args: [...words], options, allowPositionals, strict: true });
  } catch (failure) {
    const [reason = ""] = messageOf(failure).split(". ", 1);
    throw new SymposiumError(
      "invalid-arguments",
      `${subcommand}: ${reason}.`,
      "Run `symposium-acp-agent --help` for the options.",
      { cause: failure },
    );
  }
}
