export interface Finding {
  readonly path: string;
  /** Line number, 1-based. */
  readonly line: number;
  readonly text: string;
}

/** Matches one finding per line: `path:line: text`, optionally as a list item, in code or bold, with a line range or a column. */
const findingLine =
  /^\s*(?:[-*>]\s+|\d+[.)]\s+){0,5}[`*[("']*((?:[\p{L}\p{N}_@~.+-]+(?: [\p{L}\p{N}_@~.+-]+)*\/)*[\p{L}\p{N}_@~.+-]+(?: [\p{L}\p{N}_@~.+-]+)*):(\d{1,7})(?:[-–:]\d{1,7})?[`*\])"']*\s*(?::|[—–-]\s)[`*]*\s*(\S.*)$/u;
const continued = /^\s{2,}(?![-*>]\s|\d+[.)]\s)\S/u;

/** Returns the findings in an answer, in order. Ignores code blocks and lines that aren't findings. */
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
