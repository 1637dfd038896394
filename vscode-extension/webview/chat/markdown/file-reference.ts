/** A file that text names, e.g. `src/a.ts:12`. `line` is 1-based. */
interface FileReference {
  readonly path: string;
  readonly line?: number;
}

const name = String.raw`[\w.@+\-\[\]()~]`;
const position = String.raw`(?:[:#]L?(?<line>\d{1,7})(?:(?::|-L?)\d{1,7})?)?`;
/** Something with a folder and an extension, or with an extension and a line. */
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
/** Stretches of all the characters that a reference, or what must not stand beside one, is made of. */
const stretch = /[\w.@+\-~:\\/]+/gu;
const extension = /\.[A-Za-z]/u;
/** In longer stretches no files are looked for: the time that takes grows with the square of their length. */
const longestStretch = 300;
const scheme = /^[a-z][a-z0-9+.-]+:/iu;

/** What the text refers to, where all of it is a path with an extension, e.g. inside backticks. */
export function fileReference(text: string): FileReference | undefined {
  return text.length > 500 ? undefined : toReference(whole.exec(text));
}

/** What a link's target refers to, where it is no address of the web. */
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

/** Where running text names files: `start` and `end` in the text. */
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
