import { boundedList, cutToBytes, utf8Length } from "../../base/text-bounds.js";

/** Shortens a text to `most` UTF-8 bytes by cutting its middle. */
export function clipped(text: string, most: number): string {
  if (utf8Length(text) <= most) return text;
  const room = Math.max(0, most - 1);
  return `${cutToBytes(text, Math.ceil(room * 0.7))} ${tail(text, Math.floor(room * 0.3))}`;
}

/** Markers around text that name its author. */
export interface AuthorMarks {
  readonly name: string;
  user(text: string): string;
  agent(text: string): string;
}

/** Returns markers that don't occur in `texts`, so that no text can pretend to have another author. */
export function marksFor(texts: unknown): AuthorMarks {
  const spelled = JSON.stringify(texts);
  let name = "";
  do name = crypto.randomUUID().slice(0, 8);
  while (spelled.includes(name));
  const marked = (author: string) => (text: string) => `<${author}-${name}>\n${text}\n</${author}-${name}>`;
  return { name, user: marked("user"), agent: marked("agent") };
}

export function line(text: string, most: number): string {
  return clipped(text.replace(/\s+/g, " ").trim(), most);
}

/** Formats a text as inline code on one line, even if it contains backticks. */
export function code(text: string, most: number): string {
  const inner = line(text, most);
  const fence = inner.includes("`") ? "``" : "`";
  return `${fence}${fence === "`" ? "" : " "}${inner.replaceAll("``", "` `")}${fence === "`" ? "" : " "}${fence}`;
}

/** Lists lines below a title in at most `most` bytes. `rest` describes omitted lines. Returns "" if nothing fits. */
export function fitted(title: string, lines: readonly string[], most: number, rest: (count: number) => string): string {
  const head = `## ${title}\n\n`;
  const room = most - utf8Length(head);
  return room < utf8Length(rest(lines.length)) + 40 ? "" : head + boundedList(lines, room, rest);
}

/** Returns whether a prompt is one of Symposium's own slash commands, which agents don't receive. */
export function isOwnCommand(text: string): boolean {
  return text.startsWith("/symposium:");
}

export function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function tail(text: string, most: number): string {
  if (most <= 0) return "";
  let kept = text.slice(-most);
  while (utf8Length(kept) > most) kept = kept.slice(Math.ceil(kept.length * 0.2));
  return kept.toWellFormed();
}
