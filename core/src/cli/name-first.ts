import type { OptionDeclarations } from "./options.js";

/**
 * The words of a command line with the name of a subcommand first: `options`, which all subcommands there have, may stand
 * before it, as editors' extensions once wrote them. Any other order stays as it is.
 */
export function withNameFirst(
  words: readonly string[],
  options: OptionDeclarations,
  isName: (word: string) => boolean,
): readonly string[] {
  let index = 0;
  for (;;) {
    const word = words[index] ?? "";
    const [flag = ""] = /^--[^=]+/.exec(word) ?? [];
    const name = flag.slice(2);
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) break;
    index += option.value !== undefined && word === flag ? 2 : 1;
  }
  const name = words[index];
  if (index === 0 || name === undefined || !isName(name)) return words;
  return [name, ...words.slice(0, index), ...words.slice(index + 1)];
}
