/** Something that a review found in a file. */
export interface Finding {
  /** As the answer has it, relative to the repository. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** One finding a line: `path:line: what is wrong`, also as an item of a list, in code, in bold, or with a range of lines or a column. */
const findingLine =
  /^\s*(?:[-*>]\s+|\d+[.)]\s+){0,5}[`*[("']*((?:[\p{L}\p{N}_@~.+-]+(?: [\p{L}\p{N}_@~.+-]+)*\/)*[\p{L}\p{N}_@~.+-]+(?: [\p{L}\p{N}_@~.+-]+)*):(\d{1,7})(?:[-–:]\d{1,7})?[`*\])"']*\s*(?::|[—–-]\s)[`*]*\s*(\S.*)$/u;
/** More of it follows on indented lines. */
const continued = /^\s{2,}(?![-*>]\s|\d+[.)]\s)\S/u;

/** What an answer says of lines of files, in its order. Lines of another form, and code blocks, are none. */
export function findingsIn(answer: string): readonly Finding[] {
  const found: Finding[] = [];
  let isInCode = false;
  let isOpen = false;
  for (const line of answer.split(/\r?\n/u)) {
    if (/^\s*(?:`{3}|~{3})/u.test(line)) isInCode = !isInCode;
    const [, path, number, text] = (!isInCode && findingLine.exec(line)) || [];
    const last = found.at(-1);
    if (path !== undefined && number !== undefined && text !== undefined) {
      found.push({ path, line: Number(number), text: text.trim() });
      isOpen = true;
    } else if (isOpen && !isInCode && last && continued.test(line)) {
      found[found.length - 1] = { ...last, text: `${last.text}\n${line.trim()}` };
    } else isOpen = false;
  }
  return found;
}
