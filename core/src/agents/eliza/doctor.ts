import { reflect } from "./reflection.js";
import { fallbacks, recollections, type Rule, rules } from "./script.js";

/** Picks an index below `count`. */
export type Choose = (count: number) => number;

interface Match {
  readonly rule: Rule;
  /** The groups of the rule's pattern, as they were said. */
  readonly parts: readonly string[];
}

const remembered = 8;

/** A Rogerian conversation: turns what it is told into questions. Remembers this one conversation only. */
export class Doctor {
  readonly #memory: string[] = [];
  readonly #lastReplies = new Map<readonly string[], number>();

  /** `choose` picks among replies; always 0 makes the doctor deterministic. */
  constructor(private readonly choose: Choose) {}

  /** The answer to `text`: one or two sentences. */
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

  /** One of `replies`, and not the one given the last time unless chance insists twice. */
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
