/** Words that change when a sentence changes sides. `you` is not here: it depends on where it stands. */
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

/** Verbs before which `you` is a subject. */
const verbsOfSubject: ReadonlySet<string> = new Set(
  "are were can could do did don't have had know like may might must need never said say see should think want will would".split(
    " ",
  ),
);

/** Verb forms that follow the changed person: `you are` becomes `I am`, `I was` becomes `you were`. */
const agreement: Readonly<Record<string, string>> = { "I are": "I am", "I were": "I was", "you was": "you were" };

/** The same words from the other person's side: "my dog likes you" becomes "your dog likes me". */
export function reflect(text: string): string {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const turned = words.map((word, index) => {
    const key = word.toLowerCase();
    if (key === "you") return index === 0 || verbsOfSubject.has(words[index + 1]?.toLowerCase() ?? "") ? "I" : "me";
    return Object.hasOwn(mirrored, key) ? (mirrored[key] ?? word) : word;
  });
  return turned.join(" ").replace(/\b(?:I are|I were|you was)\b/g, (pair) => agreement[pair] ?? pair);
}
