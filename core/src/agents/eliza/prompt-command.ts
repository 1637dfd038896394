import { parsedObject } from "../../base/rpc/json.js";

export type PromptCommand =
  | { readonly kind: "help" }
  /** Request to list tools. `server` is undefined to list the tools of all the session's servers. */
  | { readonly kind: "list-tools"; readonly server: string | undefined }
  | {
      readonly kind: "use-tool";
      readonly server: string;
      readonly tool: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "ask-permission"; readonly purpose: string | undefined }
  /** Text that looks like a command but can't be parsed; `problem` is a sentence for the user. */
  | { readonly kind: "unreadable"; readonly problem: string };

const example = 'Write it like this: use tool SERVER::TOOL with {"key": "value"}';

/** Parses a command, ignoring case. Returns undefined for ordinary conversation. */
export function parsePromptCommand(text: string): PromptCommand | undefined {
  const line = text.trim();
  if (/^\/help$/i.test(line)) return { kind: "help" };
  const tools = /^\/tools(?:\s+(.+))?$/i.exec(line) ?? /^list\s+tools\s+from\s+(.+)$/i.exec(line);
  if (tools) return { kind: "list-tools", server: tools[1] === undefined ? undefined : plainName(tools[1]) };
  const permission = /^ask\s+permission(?:\s+to\s+([\s\S]+?))?[.!]?$/i.exec(line);
  if (permission) return { kind: "ask-permission", purpose: permission[1] };
  return /^use\s+tool\b/i.test(line) ? parseToolUse(line) : undefined;
}

function parseToolUse(line: string): PromptCommand {
  const parts = /^use\s+tool\s+(.+?)::(\S+)(?:\s+with\b\s*([\s\S]*))?$/i.exec(line);
  const [, server, tool, json] = parts ?? [];
  if (server === undefined || tool === undefined) {
    return { kind: "unreadable", problem: `I can't tell which tool on which server you mean. ${example}` };
  }
  const args = json === undefined ? {} : parsedObject(json);
  if (args === undefined) {
    const problem = `The arguments ${shortened(json ?? "")} aren't a JSON object. ${example}`;
    return { kind: "unreadable", problem };
  }
  return { kind: "use-tool", server: plainName(server), tool: plainName(tool), args };
}

function plainName(text: string): string {
  return text.trim().replace(/^(["'`])(.*)\1$/, "$2");
}

const shownLength = 60;

function shortened(text: string): string {
  const shown = text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`;
  return `"${shown}"`;
}
