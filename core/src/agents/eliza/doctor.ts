import { fallbacks, recollections, type Rule, rules } from "./script.js";

export type Choose = (count: number) => number;

interface Match {
  readonly rule: Rule;
  readonly parts: readonly string[];
}

const remembered = 8;

export class Doctor {
  readonly #memory: string[] = [];
  readonly #lastReplies = new Map<readonly string[], number>();

  /** `choose` picks among replies; always returning 0 makes the doctor deterministic. */
  constructor(private readonly choose: Choose) {}

  answer(text: string): string {
    const match = bestMatch(clausesOf(text));
    if (match === undefined) return this.#fallBack();
    const [first] = match.parts;
    if (match.rule.isRemembered === true && first !== undefined) {
      this.#memory.push(first);
      if (this.#memory.length > remembered) this.#memory.shift();
    }
    return fill(this.#pick(match.rule.replies), match.parts.map(reflect));
  }

  #fallBack(): string {
    const memory = this.#memory.shift();
    return memory === undefined ? this.#pick(fallbacks) : fill(this.#pick(recollections), [memory]);
  }

  /** Returns one of `replies`. Repeats the previous reply only if `choose` picks it twice in a row. */
  #pick(replies: readonly [string, ...string[]]): string {
    let index = this.choose(replies.length);
    if (index === this.#lastReplies.get(replies)) index = this.choose(replies.length);
    this.#lastReplies.set(replies, index);
    return replies[index] ?? replies[0];
  }
}

function clausesOf(text: string): string[] {
  const plain = text.replaceAll("’", "'").replace(/\s+/g, " ");
  const clauses = plain
    .split(/[.!?;,:]+(?:\s|$)|\bbut\b/i)
    .map((clause) => clause.trim().replace(/^(?:and|well|so)\s+/i, ""));
  return clauses.filter((clause) => clause !== "");
}

function bestMatch(clauses: readonly string[]): Match | undefined {
  let best: Match | undefined;
  for (const clause of clauses) {
    for (const rule of rules) {
      if (best !== undefined && rule.rank <= best.rule.rank) continue;
      const groups = rule.pattern.exec(clause)?.slice(1);
      if (groups) best = { rule, parts: groups };
    }
  }
  return best;
}

function fill(reply: string, parts: readonly string[]): string {
  return reply.replace(/\$(\d)/g, (_whole, number: string) => parts[Number(number) - 1] ?? "it");
}

/** Words that change when the speaker changes. `you` is missing because its replacement depends on its position. */
const mirrored: Readonly<Record<string, string>> = {
  i: "you",
  me: "you",
  my: "your",
  mine: "yours",
  myself: "yourself",
  am: "are",
  "i'm": "you are",
  "i've": "you have",
  "i'd": "you would",
  "i'll": "you will",
  your: "my",
  yours: "mine",
  yourself: "myself",
  "you're": "I am",
  "you've": "I have",
  "you'd": "I would",
  "you'll": "I will",
};

/** Verbs that make a preceding `you` the subject. */
const verbsOfSubject: ReadonlySet<string> = new Set(
  "are were can could do did don't have had know like may might must need never said say see should think want will would".split(
    " ",
  ),
);

/** Corrections of verb forms after a changed pronoun: `you are` becomes `I am`, `I was` becomes `you were`. */
const agreement: Readonly<Record<string, string>> = { "I are": "I am", "I were": "I was", "you was": "you were" };

/** Swaps first and second person: "my dog likes you" becomes "your dog likes me". */
export function reflect(text: string): string {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const turned = words.map((word, index) => {
    const key = word.toLowerCase();
    if (key === "you") return index === 0 || verbsOfSubject.has(words[index + 1]?.toLowerCase() ?? "") ? "I" : "me";
    return Object.hasOwn(mirrored, key) ? (mirrored[key] ?? word) : word;
  });
  return turned.join(" ").replace(/\b(?:I are|I were|you was)\b/g, (pair) => agreement[pair] ?? pair);
}
