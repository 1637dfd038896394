import { commonOptions } from "./command-line.js";

/**
 * The words of a command line with its subcommand first: the options that all subcommands share may stand before it, as
 * editors' extensions once wrote them. Any other order stays as it is.
 */
export function withSubcommandFirst(
  words: readonly string[],
  isSubcommand: (word: string) => boolean,
): readonly string[] {
  const names = Object.keys(commonOptions).map((name) => `--${name}`);
  let index = 0;
  for (;;) {
    const word = words[index] ?? "";
    if (names.includes(word)) index += 2;
    else if (names.some((name) => word.startsWith(`${name}=`))) index += 1;
    else break;
  }
  const subcommand = words[index];
  if (index === 0 || subcommand === undefined || !isSubcommand(subcommand)) return words;
  return [subcommand, ...words.slice(0, index), ...words.slice(index + 1)];
}
