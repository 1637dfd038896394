/** Cuts text that grows into whole sentences without Markdown marks, for reading aloud. */
export class Sentences {
  #spoken = 0;

  /** What is whole in `text` and was not given out before; everything that is left where `isEnd`. */
  next(text: string, isEnd: boolean): string {
    if (text.length < this.#spoken) this.#spoken = 0;
    const fresh = text.slice(this.#spoken);
    const end = isEnd ? fresh.length : lastEnd(fresh);
    this.#spoken += end;
    return plainText(fresh.slice(0, end));
  }
}

/** Long code and tables are looked at, not listened to. */
const longestCode = 200;

function lastEnd(text: string): number {
  const open = (text.match(/^```/gmu)?.length ?? 0) % 2 === 1 ? text.lastIndexOf("```") : text.length;
  const whole = text.slice(0, open);
  const ends = [...whole.matchAll(/[.!?…:](?=\s)|\n{2,}|[。！？]/gu)];
  const last = ends.at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

function plainText(markdown: string): string {
  return markdown
    .replace(/^```.*\n([\s\S]*?)^```.*$/gmu, (_block, code: string) => (code.length > longestCode ? " Code. " : code))
    .replace(/^[ \t]*[#>]+[ \t]*/gmu, "")
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/gu, "$1")
    .replace(/[*_`|]+/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}
