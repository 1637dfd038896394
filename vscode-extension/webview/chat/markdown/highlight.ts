import highlighter from "highlight.js/lib/core";
import { languages } from "./languages.js";

/** Longer code is shown without colours: colouring it would hold up the page. */
export const highlightLimit = 20_000;

const cache = new Map<string, string>();
const cacheSize = 100;

/** The HTML of coloured code, or undefined where the language is not known or the code too long. */
export function highlight(code: string, languageName: string): string | undefined {
  const name = languageName.toLowerCase();
  const language = languages.get(name);
  if (language === undefined || code.length > highlightLimit) return undefined;
  const key = `${name}\n${code}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (highlighter.getLanguage(name) === undefined) highlighter.registerLanguage(name, language);
  const { value } = highlighter.highlight(code, { language: name, ignoreIllegals: true });
  const oldest = cache.size >= cacheSize ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(key, value);
  return value;
}
