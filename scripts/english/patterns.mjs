// Patterns of English that readers do not understand at once. A sentence has its code replaced by `codeMark` before.

/** Stands for a character of code, of an address or of a placeholder in a sentence. */
export const codeMark = "\u25a0";

/**
 * Each pattern: a `name`, the `expressions` that find it, and what to `write` instead. `isFound` replaces expressions where
 * they do not suffice.
 */
const patterns = [
  {
    name: "what-subject",
    expressions: [/^(?:What|Who|Whoever|Whatever)\b(?! (?:if|is|are|does|do|happens)\b)[^?]{8,}[.:;]/],
    write: "name the thing, or begin with the actor and a verb",
  },
  {
    name: "where-condition",
    expressions: [
      /(?:^|[;:] )[Ww]here (?!possible|necessary|supported|to\b)(?![^]*\?$)/,
      /\b(?:also|only|but|even|except) where\b/,
    ],
    write: '"if" or "when"; "where" is for places',
  },
  {
    name: "frozen-phrase",
    expressions: [
      /\b(?:by now|by then|as ever|all the same|from then on)\b/,
      /\bas (?:it|they) (?:is|are|was|were)(?=[.,;:)]| then| now)/,
    ],
    write: "say what changes, and when",
  },
  {
    name: "has-do",
    expressions: [
      /\b(?:has|have|had) (?:the |an? |your )?(?:\w+ )?(?:git|agents?|editor|programs?|you|it|them) (?:ask(?:ed)?|run|read|write|look|make|open|start)\b/,
    ],
    write: "asks, makes, lets or tells … to",
  },
  {
    name: "odd-verb",
    expressions: [
      /\bstands? (?:in|at|beside|below|there|under|between)\b/,
      /\b(?:tells?|told) (?:of|nothing|so|once|apart)\b/,
      /\bsays? (?:so|which)\b/,
      /\bcounts? (?:from|there|as)\b/,
    ],
    write: "be listed, report, apply, include, match",
  },
  {
    name: "of-genitive",
    expressions: [
      /\b(?:projects?|tests?|files?|packages?|artifacts|sessions|settings|runs?) of (?:[A-Z]\w+|git|npm|vitest|pytest|cargo|agents)\b/,
    ],
    write: 'a compound or a possessive: "TypeScript projects", "the agent\'s session"',
  },
  {
    name: "clause-chain",
    isFound: (sentence) => (withoutLists(sentence).match(/[,;:](?=\s|$)/g)?.length ?? 0) > 4,
    write: "two sentences, or a list",
  },
  {
    name: "also-preposition",
    expressions: [
      /(?:, |\(|and |; )also (?:where|when|while|after|if|with|without|from|on|of|in|at|once|what|those|by|for)\b/,
    ],
    write: '"even if", "including"',
  },
  {
    name: "old-word",
    expressions: [/\b(?:shall|anew|apart from)\b/, /\bbesides\b(?= [\w'"`]|[.,;:)])/],
    write: '"should" or "does", "again", "except", "in addition to"',
  },
];

/** Names of the patterns, in the order of the report. */
export const patternNames = patterns.map(({ name }) => name);

/** The patterns that `sentence` contains, as `{ name, write }`; each at most once. */
export function patternsIn(sentence) {
  return patterns.filter(
    ({ expressions, isFound }) => isFound?.(sentence) ?? expressions.some((one) => one.test(sentence)),
  );
}

/** Leaves out the commas of an enumeration of code or of single words, which is easy to read. */
function withoutLists(sentence) {
  return sentence.replace(/(?:[\w\u25a0'"-]+, ){2,}(?=(?:and |or )?[\w\u25a0'"-]+)/g, "");
}
