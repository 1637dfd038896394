export interface Rule {
  /** Rank of the rule. Among matching rules, the rule with the highest rank wins. */
  readonly rank: number;
  /** Pattern that matches a clause. The matched groups replace `$1`, `$2` in the replies, with first and second person swapped. */
  readonly pattern: RegExp;
  /** Reply templates; a deterministic doctor always uses the first. */
  readonly replies: readonly [string, ...string[]];
  readonly isRemembered?: boolean;
}

function rule(rank: number, pattern: RegExp, ...replies: readonly [string, ...string[]]): Rule {
  return { rank, pattern, replies };
}

/** Rules in matching order; among rules of equal rank, the earlier wins. */
export const rules: readonly Rule[] = [
  rule(
    20,
    /\b(?:kill myself|suicid\w*|end my life|want to die)\b/i,
    "That sounds very heavy, and I am only a small program. Please talk to someone you trust, or to a crisis line, now. Will you?",
  ),
  rule(
    1,
    /^(?:hello|hi|hey|greetings|good (?:morning|day|afternoon|evening))\b/i,
    "Hello. What would you like to talk about?",
    "Hello. What brings you here today?",
    "Good to see you. Where shall we begin?",
  ),
  rule(
    2,
    /^(?:bye|goodbye|good night|see you)\b/i,
    "Goodbye. Thank you for talking with me.",
    "Goodbye. Come back whenever you like.",
  ),
  rule(2, /^(?:thanks|thank you)\b/i, "You are welcome. What else is on your mind?", "Gladly. Shall we go on?"),
  rule(
    2,
    /\b(?:sorry|apologi[sz]e)\b/i,
    "There is no need to be sorry. What made you feel that there is?",
    "What goes through your mind when you apologize?",
  ),
  rule(
    8,
    /\bi (?:remember|recall) (.+)/i,
    "Do you often think of $1?",
    "What else comes back to you with $1?",
    "Why does $1 come to mind just now?",
  ),
  rule(
    8,
    /\bi (?:dreamed|dreamt|dream) (?:that |of |about )?(.+)/i,
    "What does it tell you that you dream of $1?",
    "Have you ever imagined $1 while you were awake?",
  ),
  rule(
    8,
    /\bmy (mother|mom|father|dad|sister|brother|wife|husband|partner|son|daughter|child|children|family)\b/i,
    "Tell me more about your $1.",
    "What comes to mind first when you think of your $1?",
    "How do you get on with your $1?",
  ),
  rule(
    7,
    /\bif (.+)/i,
    "How likely is it, do you think, that $1?",
    "What would it change for you if $1?",
    "Do you wish that $1?",
  ),
  rule(
    6,
    /\bi (?:need|want|would like|wish for) (.+)/i,
    "What would it mean to you to get $1?",
    "Why do you want $1?",
    "Suppose you had $1. What then?",
  ),
  rule(
    6,
    /\bi(?:'m| am) (?:so |very |really )?(sad|unhappy|depressed|tired|afraid|lonely|angry|stuck|lost|stressed)\b/i,
    "I am sorry to hear that you are $1. How long has it been so?",
    "What do you think makes you $1?",
    "Does talking help when you are $1?",
  ),
  rule(
    6,
    /\bi(?:'m| am) (?:so |very |really )?(happy|glad|proud|better|relieved|excited)\b/i,
    "What makes you $1 just now?",
    "How did you come to be $1?",
  ),
  rule(5, /\bi(?:'m| am) (.+)/i, "How long have you been $1?", "How do you feel about being $1?", "Why are you $1?"),
  rule(
    5,
    /\bi feel (?:that |like )?(.+)/i,
    "Do you often feel $1?",
    "When did you first feel $1?",
    "What else do you feel, besides $1?",
  ),
  rule(
    5,
    /\bi (?:can't|cannot|can not) (.+)/i,
    "What keeps you from being able to $1?",
    "Have you really tried to $1?",
    "What would happen if you could $1?",
  ),
  rule(5, /\bi (?:don't|do not) (.+)/i, "Why don't you $1?", "Would you like to $1?", "Does it trouble you?"),
  rule(
    5,
    /\bi (?:think|believe|guess|suppose) (?:that )?(.+)/i,
    "What makes you think that $1?",
    "Do you doubt that $1?",
    "How sure are you that $1?",
  ),
  rule(
    5,
    /\bi (love|like|hate|miss|trust|fear) (.+)/i,
    "What is it that makes you $1 $2?",
    "How did you come to $1 $2?",
  ),
  rule(
    5,
    /\b(?:computers?|program(?:s|ming)?|code|compilers?|bugs?|tests?|software)\b/i,
    "Do machines worry you, or rather the people around them?",
    "What does the code say about the one who wrote it?",
    "And what would your program say, if it could lie on this couch?",
  ),
  rule(
    5,
    /\b(?:everyone|everybody|nobody|no one|always|never)\b/i,
    "Can you think of one particular case?",
    "Without exception?",
    "Whom or what do you have in mind?",
  ),
  rule(
    4,
    /\bwhy (?:don't|do not|won't|will not|can't) you (.+)/i,
    "Do you think that I should $1?",
    "Perhaps I will $1 in time. Would you like that?",
  ),
  rule(4, /\b(?:can|could|will|would) you (.+)/i, "You would like me to $1. What for?", "Perhaps you can $1 yourself?"),
  rule(4, /\bare you (.+)/i, "Why does it matter to you whether I am $1?", "Would you prefer that I am not $1?"),
  rule(4, /\byou(?:'re| are) (.+)/i, "What makes you think that I am $1?", "Does it please you to think that I am $1?"),
  rule(4, /\byou (\w+) me\b/i, "Why do you think that I $1 you?", "Would you like it if I did not $1 you?"),
  { ...rule(3, /\bmy (.+)/i, "Your $1? Tell me more.", "Why do you say that: your $1?"), isRemembered: true },
  rule(3, /\bbecause (.+)/i, "Is that the real reason?", "What other reasons come to mind?", "If $1, what follows?"),
  rule(
    2,
    /^(?:what|who|how|when|where|which|why)\b/i,
    "Why do you ask?",
    "What answer would please you most?",
    "What do you think yourself?",
  ),
  rule(1, /^(?:yes|yeah|yep|sure|of course)\b/i, "You seem quite sure. Go on.", "I see. And what follows from it?"),
  rule(1, /^(?:no|nope|not really)\b/i, "Why not?", "You say no. What would a yes take?"),
  rule(1, /^(?:maybe|perhaps)\b/i, "What would make you sure?", "You leave it open. Why?"),
];

export const fallbacks: readonly [string, ...string[]] = [
  "Please go on.",
  "Tell me more about that.",
  "How does that make you feel?",
  "What does that suggest to you?",
  "I am listening.",
];

/** Replies that return to a remembered phrase; `$1` is the phrase as the user wrote it. */
export const recollections: readonly [string, ...string[]] = [
  'Earlier you said "my $1". Does this have to do with it?',
  'Let us come back to what you said before: "my $1".',
  'I keep thinking about what you said: "my $1". Do you?',
];
