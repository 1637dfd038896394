import type { LanguageFn } from "highlight.js";
import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import powershell from "highlight.js/lib/languages/powershell";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

/** Maximum length of highlighted code; longer code would block the page. */
const highlightLimit = 20_000;

const cache = new Map<string, string>();
const cacheSize = 100;

/** Returns highlighted HTML, or undefined for an unknown language or too long code. */
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

const languages: ReadonlyMap<string, LanguageFn> = new Map(
  (
    [
      ["bash sh shell zsh console", bash],
      ["c h", c],
      ["cpp c++ cc hpp", cpp],
      ["csharp cs c#", csharp],
      ["css scss less", css],
      ["diff patch", diff],
      ["dockerfile docker", dockerfile],
      ["go golang", go],
      ["ini toml properties", ini],
      ["java", java],
      ["javascript js jsx mjs cjs", javascript],
      ["json jsonc json5 jsonl", json],
      ["kotlin kt", kotlin],
      ["lua", lua],
      ["makefile make", makefile],
      ["markdown md", markdown],
      ["php", php],
      ["powershell ps1 pwsh", powershell],
      ["python py", python],
      ["ruby rb", ruby],
      ["rust rs", rust],
      ["sql", sql],
      ["swift", swift],
      ["typescript ts tsx mts cts", typescript],
      ["xml html svg vue xhtml", xml],
      ["yaml yml", yaml],
    ] as const
  ).flatMap(([names, language]) => names.split(" ").map((name) => [name, language] as const)),
);
