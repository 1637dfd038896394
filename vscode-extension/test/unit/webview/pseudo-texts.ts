import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const list = fileURLToPath(new URL("../../../../l10n/bundle.l10n.json", import.meta.url));

/** Returns translations of all texts, as JSON: the English texts with accents. Placeholders and words in backquotes have none. */
export async function pseudoTexts(): Promise<string> {
  const texts = Object.keys(JSON.parse(await readFile(list, "utf8")) as object);
  const accented = (text: string): string =>
    text.replaceAll(/`[^`]*`|\{\d+\}|\$\([\w-]+\)|[aeiou]/g, (part) =>
      "aeiou".includes(part) ? `${part}\u0301`.normalize() : part,
    );
  return JSON.stringify(Object.fromEntries(texts.map((text) => [text, accented(text)])));
}

/** Members of messages whose texts come from an agent or the user. */
const foreign = new Set([
  ...["agentBefore", "agentName", "branch", "command", "comment", "content", "cwd", "description", "details", "hint"],
  ...["input", "json", "label", "message", "name", "note", "output", "patch", "path", "reason", "reset", "ruleLabel"],
  ...["summary", "text", "title", "detail", "group", "listProblem", "warnings", "problems"],
]);

/** Replaces the Latin letters of texts that agents and users write, so that only the page's own texts have some. */
export function withForeignTexts<T>(value: T, member = ""): T {
  if (typeof value === "string") return foreign.has(member) ? (value.replaceAll(/[a-z]/gi, "\u0436") as T) : value;
  if (Array.isArray(value)) return value.map((one: unknown) => withForeignTexts(one, member)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [name, withForeignTexts(one, name)]),
  ) as T;
}

/** Returns the page's texts and labels that have a word without accents. Ignores addresses, code and the names of keys. */
export function plainTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const neutral = /(https?|file):\S*|example\.com|\b(Enter|Delete)\b/g;
    const plain = (text: string): boolean => /\p{Ll}[aeiou]|[aeiou]\p{Ll}/u.test(text.replaceAll(neutral, ""));
    const found = new Set<string>();
    for (const element of document.body.querySelectorAll("*")) {
      if (element.closest("script, style, code, pre") !== null) continue;
      for (const name of ["aria-label", "title", "placeholder", "alt", "aria-roledescription", "aria-description"]) {
        const text = element.getAttribute(name);
        if (text !== null && plain(text)) found.add(`${name}: ${text}`);
      }
      for (const node of element.childNodes) {
        if (node instanceof Text && plain(node.data)) found.add(node.data.trim().replaceAll(/\s+/g, " "));
      }
    }
    return [...found];
  });
}
