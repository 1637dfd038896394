/** Shell commands in a template: `` !`…` `` in Claude and OpenCode, `!{…}` in Gemini and Qwen. */
const shellParts = /!`[^`\n]{1,500}`|!\{[^}\n]{1,500}\}/;

/**
 * Expands a command or prompt template with the user's words: `$ARGUMENTS`, `$1` to `$9`, `$NAME` for `NAME=value` (Codex) and `{{args}}`
 * (Gemini, Qwen). Appends unused words. Runs no commands and reads no files; if the template relies on them, appends a note.
 */
export function expandTemplate(template: string, words: string): string {
  const list = splitWords(words);
  const named = new Map(
    list.flatMap((word) => {
      const [, name, value] = /^([A-Z_][A-Z0-9_]*)=([\s\S]*)$/.exec(word) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
  const used: string[] = [];
  const text = template.replace(
    /\$ARGUMENTS|\$([1-9])|\$([A-Z_][A-Z0-9_]*)|\{\{\s*args\s*\}\}/g,
    (place, digit?: string, name?: string) => {
      const value =
        digit !== undefined ? (list[Number(digit) - 1] ?? "") : name === undefined ? words : named.get(name);
      if (value === undefined) return place;
      used.push(place);
      return value;
    },
  );
  return [
    text.trim(),
    ...(used.length > 0 || words === "" ? [] : [words]),
    ...(shellParts.test(template)
      ? [
          "Parts of the form !`…` or !{…} are shell commands. None of them was run: run what you need with your own tools.",
        ]
      : []),
    ...(/(?:^|\s)@(?:\{[^}\n]|[\w.~/-])/.test(template) ? ["Text after an @ names a file: read it yourself."] : []),
  ].join("\n\n");
}

/** Splits text into words like a shell. Quotes join words. */
function splitWords(words: string): readonly string[] {
  return [...words.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );
}
