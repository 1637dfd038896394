import { pathOfFileUri } from "../../file-uri.js";

const pathNames =
  /^(?:(?:abs|absolute|file|dir|folder|target|source|dest|destination|old|new|parent|notebook)?_?-?(?:path|file|dir|directory|filename|filepath|uri)s?)$/i;

/** Extracts paths from a tool call's `rawInput` by member name, since not every agent sends `locations`. */
export function pathsInInput(rawInput: unknown): readonly string[] {
  if (typeof rawInput !== "object" || rawInput === null) return [];
  return Object.entries(rawInput).flatMap(([name, value]: [string, unknown]) => {
    if (!pathNames.test(name)) return [];
    const texts = (Array.isArray(value) ? (value as readonly unknown[]) : [value]).filter(
      (one) => typeof one === "string",
    );
    return texts.filter((text) => text !== "").map((text) => pathOfFileUri(text) ?? text);
  });
}

export function addressInInput(rawInput: unknown): URL | undefined {
  if (typeof rawInput !== "object" || rawInput === null || !("url" in rawInput)) return undefined;
  if (typeof rawInput.url !== "string" || !URL.canParse(rawInput.url)) return undefined;
  const address = new URL(rawInput.url);
  return address.protocol === "https:" || address.protocol === "http:" ? address : undefined;
}
