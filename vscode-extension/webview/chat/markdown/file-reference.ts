interface FileReference {
  readonly path: string;
  readonly line?: number;
}

const name = String.raw`[\w.@+\-\[\]()~]`;
const position = String.raw`(?:[:#]L?(?<line>\d{1,7})(?:(?::|-L?)\d{1,7})?)?`;
/** Matches a path with a folder and an extension, or a name with an extension and a line. */
const withFolder = String.raw`(?:[A-Za-z]:[\\/]|\.{0,2}/)?(?:${name}+[\\/])+${name}*\.[A-Za-z][\w]{0,9}`;
const plainName = String.raw`${name}+\.[A-Za-z]\w{0,9}`;
const whole = new RegExp(`^(?:(?<path>${withFolder}|${plainName}(?=[:#]))${position})$`, "u");
const linked = new RegExp(
  String.raw`^(?:file://)?(?<path>[^?#:]{1,1000}|[A-Za-z]:[\\/][^?#:]{1,1000})${position}$`,
  "u",
);
const within = new RegExp(
  String.raw`(?<![\w/.:@\-])(?:(?:[A-Za-z]:[\\/]|\.{0,2}/)?(?:[\w.@+\-~]+[\\/])+[\w.@+\-]*\.[A-Za-z]\w{0,9}|[\w.@+\-]+\.[A-Za-z]\w{0,9}(?=:\d))(?::\d{1,7}(?::\d{1,7})?)?(?![\w/])`,
  "gu",
);
/** Sequences of characters that can occur in or next to a file reference. */
const stretch = /[\w.@+\-~:\\/]+/gu;
const extension = /\.[A-Za-z]/u;
/** Maximum length of a sequence to search, since the time grows quadratically. */
const longestStretch = 300;
const scheme = /^[a-z][a-z0-9+.-]+:/iu;

export function fileReference(text: string): FileReference | undefined {
  return text.length > 500 ? undefined : toReference(whole.exec(text));
}

export function linkedFile(href: string): FileReference | undefined {
  let target: string;
  try {
    target = decodeURIComponent(href);
  } catch {
    target = href;
  }
  if (target.startsWith("#") || (scheme.test(target) && !target.startsWith("file:"))) return undefined;
  return toReference(linked.exec(target));
}

/** Finds file references in running text; `start` and `end` are positions in the text. */
export function findFileReferences(text: string): { start: number; end: number; reference: FileReference }[] {
  return [...text.matchAll(stretch)].flatMap(({ 0: part, index }) => {
    if (part.length > longestStretch || !extension.test(part)) return [];
    return [...part.matchAll(within)].flatMap((match) => {
      const reference = fileReference(match[0]);
      const start = index + match.index;
      return reference ? [{ start, end: start + match[0].length, reference }] : [];
    });
  });
}

function toReference(match: RegExpExecArray | null): FileReference | undefined {
  const path = match?.groups?.["path"];
  if (path === undefined || path === "") return undefined;
  const line = match?.groups?.["line"];
  return line === undefined ? { path } : { path, line: Number(line) };
}
