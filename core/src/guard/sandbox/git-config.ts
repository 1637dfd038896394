/** One `key = value` of a git configuration. Section and key are in lowercase. */
export interface GitSetting {
  readonly section: string;
  /** Subsection of the setting; empty if there is none. */
  readonly subsection: string;
  readonly key: string;
  readonly value: string;
}

const header = /\[[ \t]*([\w.-]{1,100})(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]/y;
const name = /([A-Za-z][\w-]{0,100})[ \t]*(=?)[ \t]*/y;
const value = /(?:"(?:[^"\\\n]|\\[^])*"|\\[^]|[^"\\\n#;])*/y;

/** Parses a git configuration (git-config(1), "Syntax"); skips invalid lines. Takes linear time, since the files are untrusted. */
export function gitSettings(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  let [section, subsection] = ["", ""];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < text.length) {
    take(/[\s\uFEFF]+/y);
    const opened = take(header);
    if (opened) {
      const [first = "", ...rest] = (opened[1] ?? "").split(".");
      section = first.toLowerCase();
      subsection = opened[2] === undefined ? rest.join(".").toLowerCase() : opened[2].replace(/\\(.)/g, "$1");
      continue;
    }
    const named = take(name);
    if (named) {
      // A key without `=` has the value true.
      const written = named[2] === "=" ? (take(value)?.[0] ?? "") : "true";
      settings.push({ section, subsection, key: (named[1] ?? "").toLowerCase(), value: unquoted(written) });
    }
    take(/[^\n]*/y);
  }
  return settings;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\n": "" };

function unquoted(written: string): string {
  const trimmed = written.trimEnd();
  return trimmed.replace(/\\([^])|"/g, (_match, escaped: string | undefined) =>
    escaped === undefined ? "" : (escapes[escaped] ?? escaped),
  );
}
